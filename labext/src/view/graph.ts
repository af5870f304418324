import { fail, type Json, type Picture } from './view';
export function readGraph(_json: Json): Picture { return fail('it', 'known yet'); }
