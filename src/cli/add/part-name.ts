import { CliError } from '../cli-error.js'

/** The parts that `blazon add` can add. */
export const KINDS = ['controller', 'module', 'plugin', 'guard', 'migration'] as const
export type Kind = (typeof KINDS)[number]

/** The kinds that are TypeScript classes or objects. */
export type CodeKind = Exclude<Kind, 'migration'>

/** A name in the spellings for files and code. */
export interface PartName {
  /** For files: `order-items` */
  readonly kebab: string
  /** For SQL: `order_items` */
  readonly snake: string
  /** For values: `orderItems` */
  readonly camel: string
  /** For classes: `OrderItems` */
  readonly pascal: string
}

const NAME = /^[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*$/
const MAX_LENGTH = 60

/**
 * Reads a name in any spelling, and removes a kind at its end: `OrdersController` becomes `orders`.
 *
 * @throws CliError if the name is too long, or does not consist of words (letters and digits) with a single `-` or `_`
 * between them.
 */
export function partName(given: string, kind: Kind): PartName {
  if (!NAME.test(given) || given.length > MAX_LENGTH) throw wrong(given, kind)
  const words = given
    .replace(/([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$&-')
    .toLowerCase()
    .split(/[-_]/)
  if (words.length > 1 && words.at(-1) === kind) words.pop()
  const pascal = words.map(capital).join('')
  return {
    kebab: words.join('-'),
    snake: words.join('_'),
    camel: pascal.charAt(0).toLowerCase() + pascal.slice(1),
    pascal,
  }
}

/** Returns the word with a capital first letter. */
export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function wrong(given: string, kind: Kind): CliError {
  const shown = JSON.stringify(given.length > 70 ? `${given.slice(0, 70)}…` : given)
  return new CliError({
    status: 2,
    what: `${shown} cannot be the name of a ${kind}.`,
    cause: `A name has at most ${MAX_LENGTH} characters: letters and digits, with a single "-" or "_" between words. It begins with a letter.`,
    remedy: `Choose another name, as in blazon add ${kind} order-items. To specify a folder, use --dir src/orders.`,
  })
}
