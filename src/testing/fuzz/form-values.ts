import type { Arbitrary } from 'fast-check'
import type { FileRule } from '../../contracts/inputs.js'
import { beginningOf, typesIn } from '../../features/uploads/signatures.js'
import type { FormParts } from './body-types.js'
import { type ValueContext, valuesOf } from './valid-values.js'
import type { FormFile, FormValue } from './write-form.js'

/** The types to use for files that can have any type. */
const ANY_TYPES = ['application/octet-stream', 'text/plain', 'image/png']
/** The maximum number of characters that follow the first bytes of a file, which indicate its type. */
const LONGEST = 100
/** Characters that JSON does not escape. */
const CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789 .,-'

/**
 * Generates forms that the rules for their files allow. Text fields come first, as clients should send them.
 *
 * @throws Error if a required file cannot be generated.
 */
export function formValues(
  { files, fields }: FormParts,
  context: ValueContext,
): Arbitrary<FormValue> {
  const { fc } = context
  const values = Object.entries(files).flatMap(([name, rule]) => {
    const file = fileValues(name, rule, context)
    if (file === null) {
      if (rule.isOptional) return []
      throw new TypeError(`No file of the types ${rule.types} has at most ${rule.maxBytes} bytes.`)
    }
    const list = fc.array(file, { minLength: 1, maxLength: Math.min(rule.max, 3) })
    return [[name, rule.max === 1 ? file : list] as const]
  })
  const requiredKeys = values.flatMap(([name]) => (files[name]?.isOptional ? [] : [name]))
  const sent = fc.record(Object.fromEntries(values) as Record<string, Arbitrary<unknown>>, {
    requiredKeys,
  })
  return fc
    .tuple(valuesOf(fields, context), sent)
    .map(([texts, some]) => ({ ...(texts as FormValue), ...some }))
}

/** Generates the files of a part; `null` if the first bytes of every accepted type exceed the maximum size. */
export function fileValues(
  name: string,
  rule: FileRule,
  context: ValueContext,
): Arbitrary<FormFile> | null {
  const { fc } = context
  const types = sentTypes(rule)
  if (types.length === 0) return null
  const fileName = fc.constantFrom('a.bin', 'file', 'ä b.txt', 'x'.repeat(60))
  const ofType = (type: string) =>
    fc.record({
      fileName,
      type: fc.constant(type),
      content: textOf(name, rule.maxBytes - beginningOf(type).length, context).map((text) =>
        contentOf(type, text),
      ),
    })
  return fc.oneof(...types.map(ofType))
}

/** A file that matches a rule; `null` if there is none. */
export function sampleFile(rule: FileRule): FormFile | null {
  const [type] = sentTypes(rule)
  return type === undefined ? null : { fileName: 'file', type, content: contentOf(type, '') }
}

/** The accepted media types whose shortest possible file does not exceed the maximum size. */
function sentTypes({ types, maxBytes }: FileRule): string[] {
  const all = types?.flatMap(inRange) ?? ANY_TYPES
  return all.filter((type) => contentOf(type, '').length <= maxBytes)
}

function inRange(type: string): string[] {
  if (type === '*/*') return ANY_TYPES
  if (!type.endsWith('/*')) return [type]
  const known = typesIn(type)
  return known.length > 0 ? known : [type.replace('*', 'x-fuzz')]
}

/** The bytes of a file, as Latin-1. */
function contentOf(type: string, text: string): string {
  // The content must be JSON, because the application may parse a part that is declared as JSON.
  if (type === 'application/json') return text === '' ? '0' : JSON.stringify(text)
  return beginningOf(type).toString('latin1') + text
}

/** Text for a file: from the test, or random. */
function textOf(name: string, room: number, { fc, textOf }: ValueContext): Arbitrary<string> {
  // JSON adds two quotes and no escapes.
  const maxLength = Math.max(0, Math.min(room - 2, LONGEST))
  const given = textOf?.({ type: 'string', maxLength }, name)
  if (given !== undefined) return fc.constant(Buffer.from(given).toString('latin1'))
  return fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength })
}
