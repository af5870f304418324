/** Reports in JupyterLab: drawn in place, in every notebook. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { everywhere, RANK } from '../registries';
import { ReportHost } from './host';
import { REPORT_MIME } from './parse';
import { follow } from './provenance';
import { ReportRenderer } from './renderer';

export const reports: JupyterFrontEndPlugin<void> = {
  id: 'zerohero:reports',
  description: 'Draws application/vnd.zerohero.report+json, with hints from the kernel',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [INotebookTracker, ITranslator],
  activate: (app: JupyterFrontEnd, rendermime: IRenderMimeRegistry, notebooks: INotebookTracker | null, translator: ITranslator | null) => {
    const words = (translator ?? nullTranslator).load('zerohero');
    const translate = (text: string): string => words.__(text);
    everywhere(rendermime, notebooks, (registry, panel) => {
      const host = panel && new ReportHost(panel, id => void app.commands.execute('zerohero:check', { id, widgetId: panel.id }));
      registry.addFactory({ safe: true, mimeTypes: [REPORT_MIME], createRenderer: () => new ReportRenderer(translate, host) }, RANK);
    });
    if (notebooks) {
      follow(notebooks);
    }
  }
};
