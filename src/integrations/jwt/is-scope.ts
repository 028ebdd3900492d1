/** Whether a text is a scope (RFC 6749, 3.3). It has neither spaces nor quotation marks, so it needs no quoting in a header. */
export function isScope(text: string): boolean {
  return /^[!#-[\]-~]+$/.test(text)
}
