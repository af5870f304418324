/** The prebuilt JupyterLab extension: what the course adds to JupyterLab and Notebook 7. */

import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { course } from './course/plugin';
import { ViewRenderer } from './renderer';
import { submit } from './submit/plugin';
import { VIEW_MIME } from './view/view';

/** Before the renderer of ipywidgets (-10): a live view holds both, and ViewRenderer decides. */
const RANK = -20;

const views: JupyterFrontEndPlugin<void> = {
  id: 'zerohero:views',
  description: 'Draws application/vnd.zerohero.view+json',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [INotebookTracker, ITranslator],
  activate: (_, rendermime: IRenderMimeRegistry, notebooks: INotebookTracker | null, translator: ITranslator | null) => {
    const words = (translator ?? nullTranslator).load('zerohero');
    const translate = (text: string): string => words.__(text);
    const addTo = (registry: IRenderMimeRegistry): void =>
      registry.addFactory({ safe: true, mimeTypes: [VIEW_MIME], createRenderer: () => new ViewRenderer(registry, translate) }, RANK);
    addTo(rendermime);
    // each notebook has its own registry, and only there is the renderer of widgets found
    notebooks?.widgetAdded.connect((_sender, panel) => addTo(panel.content.rendermime));
    notebooks?.forEach(panel => addTo(panel.content.rendermime));
  }
};

export default [views, course, submit];
