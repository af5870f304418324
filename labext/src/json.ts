/** Reading JSON that anybody may have written. */

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A property of the object itself, never one that it inherits. */
export function own(from: Json, name: string): unknown {
  return Object.hasOwn(from, name) ? from[name] : undefined;
}
