/** A value that an application has set, and the text that represents it in log lines and in records. */
export type Identity = readonly [what: string, value: unknown, text: string | null]

/** An object whose property throws an error when it is read. */
export function thrower(name: string): object {
  return Object.defineProperty({}, name, {
    get() {
      throw new Error('own getter')
    },
  })
}

/** Values of `req.user`. Log lines and records read it separately, and have to represent it in the same way. */
export const USERS: readonly Identity[] = [
  ['its id', { id: 7, sub: 's' }, '7'],
  ['its subject', { sub: 's', _id: 'o' }, 's'],
  ['the id of a document', { _id: 'o', userId: 'u' }, 'o'],
  ['its user id', { userId: 'u', uid: 'x' }, 'u'],
  ['its short user id', { uid: 5n }, '5'],
  ['the next field after an empty id', { id: '', sub: 's' }, 's'],
  ['the next field after an object', { id: { a: 1 }, sub: 's' }, 's'],
  ['zero', { id: 0 }, '0'],
  ['a text', 'ada', 'ada'],
  ['a number', 7, '7'],
  ['at most 256 characters', { id: 'x'.repeat(257) }, 'x'.repeat(256)],
  ['nothing without an id', { name: 'Ada' }, null],
  ['nothing for a boolean', true, null],
  ['nothing for null', null, null],
  ['nothing if its id cannot be read', thrower('id'), null],
]

/** Values of `req.id`. */
export const REQUEST_IDS: readonly Identity[] = [
  ['a text', 'r1', 'r1'],
  ['a number', 7, '7'],
  ['at most 128 characters', 'x'.repeat(129), 'x'.repeat(128)],
  ['nothing for an empty text', '', null],
  ['nothing for an object', {}, null],
]
