import type { Response } from '../../contracts/handler.js'

/**
 * Sets the documented type, unless the handler has set it already, perhaps with other parameters such as a charset.
 *
 * @param type A media type, and not a range.
 */
export function setDocumentedType(res: Response, type: string): void {
  if (essenceOf(res.get('Content-Type')) !== essenceOf(type)) res.setHeader('Content-Type', type)
}

/** The type without its parameters. */
function essenceOf(type = ''): string {
  return (type.split(';', 1)[0] as string).trim().toLowerCase()
}
