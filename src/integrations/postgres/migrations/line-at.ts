/** The number of the line that a place of a text is on, counted from 1. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}
