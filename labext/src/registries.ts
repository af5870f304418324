/** Where renderers are registered. */

import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';

/** Before the renderer of ipywidgets (-10), and before text/html (50), which every output of ours holds as well. */
export const RANK = -20;

/** Hand every registry to `add`: that of the application, and that of each notebook, which alone knows what lies in the notebook. */
export function everywhere(
  rendermime: IRenderMimeRegistry,
  notebooks: INotebookTracker | null,
  add: (registry: IRenderMimeRegistry, panel?: NotebookPanel) => void
): void {
  add(rendermime);
  notebooks?.widgetAdded.connect((_, panel) => add(panel.content.rendermime, panel));
  notebooks?.forEach(panel => add(panel.content.rendermime, panel));
}
