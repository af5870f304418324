/** The bundle of every live widget (anywidget): the same views, drawn again when the kernel sends a new one. */

import { readGraph } from './view/graph';
import { Player, type Kernel } from './view/player';
import { BadView, fail, parseView, type View } from './view/view';

/** What anywidget hands over of the Python object; values are as JSON brought them, so unknown until looked at. */
interface Model {
  get(name: string): unknown;
  send(content: object): void;
  on(event: string, listener: (content: unknown) => void): void;
  off(event: string, listener: (content: unknown) => void): void;
}

const ANSWER_MS = 1000;

export default {
  render({ model, el }: { model: Model; el: HTMLElement }): () => void {
    const player = new Player(el);
    const kernel = new Dragging(model);
    const show = (): void => {
      try {
        player.show(readView(model.get('view')), kernel);
      } catch (error) {
        if (!(error instanceof BadView)) {
          throw error;
        }
        player.fail(error.message);
      }
    };
    const answered = (): void => kernel.answered();
    show();
    model.on('change:view', show);
    model.on('msg:custom', answered);
    return () => {
      model.off('change:view', show);
      model.off('msg:custom', answered);
      kernel.dispose();
      player.dispose();
    };
  }
};

/** The view, which the kernel sends as the text of its JSON. */
function readView(text: unknown): View {
  let json: unknown;
  try {
    json = JSON.parse(String(text));
  } catch {
    fail('what the kernel sent', 'JSON');
  }
  return parseView(json, readGraph);
}

/** One value is on its way at a time, and the last one always arrives: a drag does not flood a slow kernel. */
class Dragging implements Kernel {
  constructor(private readonly model: Model) {}

  drags(name: string, value: number): void {
    this.latest.set(name, value);
    this.sendNext();
  }

  acts(name: string): void {
    this.model.send({ act: name });
  }

  answered(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    this.sendNext();
  }

  dispose(): void {
    window.clearTimeout(this.timer);
    this.latest.clear();
  }

  private sendNext(): void {
    const next = this.latest.entries().next();
    if (this.timer === undefined && !next.done) {
      const [name, value] = next.value;
      this.latest.delete(name);
      this.model.send({ drag: name, value });
      this.timer = window.setTimeout(() => this.answered(), ANSWER_MS); // a kernel that is busy or gone does not answer
    }
  }

  private readonly latest = new Map<string, number>();
  private timer?: number;
}
