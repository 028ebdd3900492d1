import type { InputSource } from '../contracts/schema.js'
import type { Unsendable } from '../schema/unsendable.js'

/** The schemas that make a value of a text, by library and type of the value. */
const OF_TEXT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  zod: {
    number: 'z.coerce.number()',
    boolean: 'z.stringbool()',
    Date: 'z.coerce.date()',
    bigint: 'z.coerce.bigint()',
    array: "z.string().transform((text) => text.split(','))",
  },
  valibot: {
    number: 'v.pipe(v.string(), v.toNumber())',
    boolean: "v.pipe(v.picklist(['true', 'false']), v.transform((text) => text === 'true'))",
    Date: 'v.pipe(v.string(), v.toDate())',
    bigint: 'v.pipe(v.string(), v.toBigint())',
    array: "v.pipe(v.string(), v.transform((text) => text.split(',')))",
  },
  arktype: {
    number: "'string.numeric.parse'",
    boolean: "type(\"'true' | 'false'\").pipe((text) => text === 'true')",
    Date: "'string.date.parse'",
    bigint: "type('string.integer').pipe(BigInt)",
    array: "type('string').pipe((text) => text.split(','))",
  },
}

/** The schemas that accept only some numbers, after the conversion. */
const OF_NUMBERS: Readonly<Record<string, (values: string) => string>> = {
  zod: (values) => `z.coerce.number().pipe(z.literal([${values}]))`,
  valibot: (values) => `v.pipe(v.string(), v.toNumber(), v.picklist([${values}]))`,
  arktype: (values) => `type('string.numeric.parse').to('${values.replaceAll(', ', ' | ')}')`,
}

/** Where the value was found. */
interface Origin {
  /** The library of the schema; `null` for a JSON Schema. */
  readonly vendor: string | null
  readonly source: InputSource
}

/** The remedy for a schema whose value no request can send. */
export function remedyFor({ type, values }: Unsendable, { vendor, source }: Origin): string {
  if (type === 'File') return 'Read a form with files: @Upload({ image: file() }).'
  if (type === 'Map' || type === 'Set') return `Accept a list, and make a ${type} of it.`
  if (type === 'object') return 'Accept a text and parse it, or use a field for each value.'
  if (vendor === null && type !== 'array') return 'Write the values as texts.'
  if (values !== null && type === 'number') {
    return `Convert the text: ${OF_NUMBERS[vendor ?? '']?.(values.join(', '))}.`
  }
  const instead = OF_TEXT[vendor ?? '']?.[type]
  const query =
    type === 'array' && source !== 'body' ? ' Or move it to the query, which has lists.' : ''
  return `${instead === undefined ? 'Accept a text.' : `Convert the text: ${instead}.`}${query}`
}
