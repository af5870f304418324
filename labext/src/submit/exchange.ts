/**
 * nbgrader's exchange, through the server extension it brings for students (nbgrader.server_extensions.assignment_list).
 *
 * It answers 200 with {"success": false, "value": "a traceback"} when something failed, and lists what was handed in after
 * every action. Where it is not installed, as on Binder, its addresses are not found.
 */

import { URLExt } from '@jupyterlab/coreutils';
import { ServerConnection } from '@jupyterlab/services';

import { assignmentOf, ExchangeFailed, submissionsOf, value, type Assignment, type Submission } from './answer';

export class Exchange {
  constructor(private readonly settings = ServerConnection.makeSettings()) {}

  /** The assignment whose notebook lies at `path`; undefined when it is none, or nbgrader is not on this server. */
  async find(path: string): Promise<Assignment | undefined> {
    const courses = await this.ask('courses');
    for (const course of Array.isArray(courses) ? courses.filter(one => typeof one === 'string') : []) {
      const found = assignmentOf(await this.list(course), path);
      if (found) {
        return found;
      }
    }
    return undefined;
  }

  /** Whether nbgrader's server extension answers. */
  async present(): Promise<boolean> {
    try {
      await this.ask('courses');
      return true;
    } catch (error) {
      if (error instanceof ExchangeFailed) {
        return true; // it is there, and will say itself what is wrong
      }
      return false;
    }
  }

  async submit(what: Assignment): Promise<Submission[]> {
    return submissionsOf(await this.act('submit', what), what);
  }

  async fetchFeedback(what: Assignment): Promise<Submission[]> {
    return submissionsOf(await this.act('fetch_feedback', what), what);
  }

  async submissions(what: Assignment): Promise<Submission[]> {
    return submissionsOf(await this.list(what.course), what);
  }

  private list(course: string): Promise<unknown> {
    return this.ask(`assignments?course_id=${encodeURIComponent(course)}`);
  }

  private act(action: string, { course, assignment }: Assignment): Promise<unknown> {
    return this.ask(`assignments/${action}`, JSON.stringify({ course_id: course, assignment_id: assignment }));
  }

  private async ask(path: string, body?: string): Promise<unknown> {
    const init = body === undefined ? {} : { method: 'POST', body };
    const response = await ServerConnection.makeRequest(URLExt.join(this.settings.baseUrl, path), init, this.settings);
    if (!response.ok) {
      throw new ServerConnection.ResponseError(response);
    }
    return value(await response.json());
  }
}
