/**
 * The notebooks of a course folder, read through the contents API: no server of ours, so it works on Binder.
 *
 * Reads the folder, its module folders (m02_micrograd) and the course notebooks in both, and each notebook again only when its
 * time of modification is another. Looks no deeper: a home directory may be large.
 */

import type { Contents } from '@jupyterlab/services';

import { isObject, own } from '../json';
import { courseFolder, isModule, type Graded, type Lesson } from './course';
import { exercises, type CellJson } from './status';

const AT_ONCE = 4;
const MOST = 200; // notebooks

interface Known {
  modified: string;
  lesson: Lesson;
}

export class CourseFiles {
  constructor(private readonly contents: Pick<Contents.IManager, 'get'>) {}

  /** The lessons around the notebook at `path`, or in the root folder; those without exercises are left out. */
  async lessons(path = ''): Promise<Lesson[]> {
    const folder = path ? courseFolder(path) : '';
    const { files, feedback } = await this.notebooks(folder);
    const found: Lesson[] = new Array<Lesson>(files.length);
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < files.length) {
        const place = next++;
        found[place] = await this.lesson(files[place], feedback.get(folderOf(files[place].path)));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    const gone = new Set([...this.known.keys()].filter(known => !files.some(file => file.path === known)));
    gone.forEach(known => this.known.delete(known));
    return found.filter(lesson => lesson.exercises.length > 0 || lesson.problem);
  }

  /** The notebooks, and by the folder they lie in the folder "feedback" beside them. */
  private async notebooks(folder: string): Promise<{ files: Contents.IModel[]; feedback: Map<string, Contents.IModel> }> {
    const top = await this.list(folder);
    const modules = top.filter(one => one.type === 'directory' && isModule(one.name));
    const inside = await Promise.all(modules.map(one => this.list(one.path)));
    const all = [...top, ...inside.flat()];
    const files = all.filter(one => one.type === 'notebook').sort((a, b) => (a.path < b.path ? -1 : 1));
    const feedback = all.filter(one => one.type === 'directory' && one.name === 'feedback');
    return { files: files.slice(0, MOST), feedback: new Map(feedback.map(one => [folderOf(one.path), one])) };
  }

  private async list(folder: string): Promise<Contents.IModel[]> {
    try {
      const listed = await this.contents.get(folder, { content: true });
      return Array.isArray(listed.content) ? (listed.content as Contents.IModel[]) : [];
    } catch {
      return []; // a folder that was removed between two looks, or may not be read, holds no lessons
    }
  }

  private async lesson(file: Contents.IModel, feedback: Contents.IModel | undefined): Promise<Lesson> {
    const known = this.known.get(file.path);
    const modified = `${file.last_modified} ${feedback?.last_modified ?? ''}`;
    if (known?.modified === modified) {
      return known.lesson;
    }
    const lesson: Lesson = { path: file.path, exercises: [], problem: '' };
    try {
      const model = await this.contents.get(file.path, { content: true, type: 'notebook' });
      const cells: unknown = isObject(model.content) ? own(model.content, 'cells') : undefined;
      lesson.exercises = exercises(Array.isArray(cells) ? (cells.filter(isObject) as CellJson[]) : []);
    } catch (error) {
      lesson.problem = isModule(file.name) ? String(error instanceof Error ? error.message : error).slice(0, 200) : '';
    }
    if (lesson.exercises.length > 0 && feedback) {
      lesson.graded = await this.graded(feedback.path, file.name.replace(/\.ipynb$/, '.html'));
    }
    this.known.set(file.path, { modified, lesson });
    return lesson;
  }

  /** The newest feedback that nbgrader has put beside the notebook: feedback/TIMESTAMP/m02_micrograd.html. */
  private async graded(feedback: string, name: string): Promise<Map<string, Graded> | undefined> {
    const times = (await this.list(feedback)).filter(one => one.type === 'directory').sort((a, b) => (a.name < b.name ? 1 : -1));
    for (const time of times) {
      const page = (await this.list(time.path)).find(one => one.name === name);
      if (page) {
        const model = await this.contents.get(page.path, { content: true, type: 'file', format: 'text' });
        return readFeedback(String(model.content));
      }
    }
    return undefined;
  }

  /** Forget what was read of a notebook, because what lies beside it has changed. */
  forget(): void {
    this.known.clear();
  }

  private readonly known = new Map<string, Known>();
}

function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/');
}

/** Points by exercise of a page of feedback (autograder/feedback/page.py). The page is only read: nothing of it runs or loads. */
export function readFeedback(html: string): Map<string, Graded> {
  const found = new Map<string, Graded>();
  for (const row of new DOMParser().parseFromString(html, 'text/html').querySelectorAll('table.all tbody tr')) {
    const id = row.querySelector('a')?.getAttribute('href')?.replace(/^#/, '');
    const points = /^([\d.]+) of ([\d.]+)$/.exec(row.querySelector('td.n')?.textContent?.trim() ?? '');
    if (id && points) {
      found.set(id, { score: Number(points[1]), points: Number(points[2]) });
    }
  }
  return found;
}
