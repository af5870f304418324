/** The prebuilt JupyterLab extension: what the course adds to JupyterLab and Notebook 7. */

import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { check } from './check/plugin';
import { course } from './course/plugin';
import { everywhere, RANK } from './registries';
import { ViewRenderer } from './renderer';
import { reports } from './report/plugin';
import { submit } from './submit/plugin';
import { VIEW_MIME } from './view/view';

const views: JupyterFrontEndPlugin<void> = {
  id: 'zerohero:views',
  description: 'Draws application/vnd.zerohero.view+json',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [INotebookTracker, ITranslator],
  activate: (_, rendermime: IRenderMimeRegistry, notebooks: INotebookTracker | null, translator: ITranslator | null) => {
    const words = (translator ?? nullTranslator).load('zerohero');
    const translate = (text: string): string => words.__(text);
    everywhere(rendermime, notebooks, registry =>
      registry.addFactory({ safe: true, mimeTypes: [VIEW_MIME], createRenderer: () => new ViewRenderer(registry, translate) }, RANK)
    );
  }
};

export default [views, reports, check, course, submit];
