/**
 * The output of a view in JupyterLab.
 *
 * The output of a widget of ours holds two forms: the widget, which needs the kernel it was made in, and the view it started
 * with. The view is shown until the widget has really drawn itself, so a notebook that is opened again never shows an error.
 */

import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { Panel, Widget } from '@lumino/widgets';

import { readGraph } from './view/graph';
import { Player, type Translate } from './view/player';
import { BadView, parseView, VIEW_MIME } from './view/view';

const WIDGET_MIME = 'application/vnd.jupyter.widget-view+json';

export class ViewRenderer extends Panel implements IRenderMime.IRenderer {
  constructor(
    private readonly registry: IRenderMimeRegistry,
    translate: Translate
  ) {
    super();
    this.addClass('zh-output');
    this.player = new Player(this.still.node, translate);
    this.addWidget(this.still);
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.endLive(); // a training monitor that has ended replaces its widget by a view, in the same output
    try {
      this.player.show(parseView(model.data[VIEW_MIME], readGraph));
    } catch (error) {
      if (!(error instanceof BadView)) {
        throw error;
      }
      this.player.fail(error.message);
    }
    if (model.trusted && WIDGET_MIME in model.data && this.registry.mimeTypes.includes(WIDGET_MIME)) {
      void this.tryLive(model);
    }
  }

  override dispose(): void {
    this.endLive();
    this.player.dispose();
    super.dispose();
  }

  private endLive(): void {
    this.watching?.disconnect();
    this.live?.dispose();
    this.live = undefined;
    this.still.show();
  }

  private async tryLive(model: IRenderMime.IMimeModel): Promise<void> {
    const live = (this.live = this.registry.createRenderer(WIDGET_MIME));
    live.hide();
    this.addWidget(live);
    this.watching = new MutationObserver(() => {
      if (live.node.querySelector('.zh-view')) {
        this.watching?.disconnect();
        live.show();
        this.still.hide();
      }
    });
    this.watching.observe(live.node, { childList: true, subtree: true });
    await live.renderModel(model);
  }

  private readonly player: Player;
  private readonly still = new Widget();
  private live?: IRenderMime.IRenderer;
  private watching?: MutationObserver;
}
