/**
 * The characters that could forge a line or hide a part of one, beyond the characters that JSON escapes: DEL and the
 * controls of a terminal (C1), the line separators of Unicode, and the marks that change the direction of text.
 */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Text that is the same in JSON. */
const PLAIN = /^[\w .:;,/@+*=?&()[\]{}#%~|<>$!^-]*$/

/** Writes text as a JSON string that holds one line on every terminal. */
export function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : escapeJson(JSON.stringify(text))
}

/** Escapes the unsafe characters of a JSON text. Outside of strings, JSON has no such characters. */
export function escapeJson(json: string): string {
  return json.replace(UNSAFE, toEscape)
}

/** Escapes text for a terminal: quotes stay, and a line break becomes `\n`. */
export function escapeText(text: string): string {
  return quote(text).slice(1, -1).replaceAll('\\"', '"')
}

function toEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
