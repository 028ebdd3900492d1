import type { FactOf } from '../contracts/facts.js'
import type { FileOptions } from '../contracts/inputs.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'
import { type OptionNames, unknownNames } from '../errors/option-group.js'
import { checkCount, checkSize } from '../http/units.js'
import { FileSchema } from '../schema/file-schema.js'
import { isMediaType } from './compile-produces.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'
import { schemaProblem } from './schema-problem.js'

const NAMES: OptionNames<FileOptions> = { maxSize: true, types: true, max: true, optional: true }
const REMEDY =
  "Write @Upload({ title: schema, avatar: file({ maxSize: '5mb', types: ['image/png'] }) })."

type Upload = FactOf<'upload'>

/** Checks `@Upload` on a method, and `upload` in the options of its routes. */
export function checkUpload(subject: string, facts: FactsByKind): Problem[] {
  const all = factsOf(facts, 'upload')
  const uploads = all.filter((upload, index) => !isRepeated(upload, all.slice(0, index)))
  return [
    ...uploads.flatMap((upload) => checkParts(`${subject} ${placeOf(upload)}`, upload.parts)),
    ...(uploads.length > 1 ? [twice(subject, uploads)] : []),
    ...checkAlone(subject, facts, uploads.map(placeOf)[0]),
  ]
}

/**
 * Whether an upload only repeats an earlier upload. Two routes of a method can declare the same parts, because the
 * method has one request type.
 */
function isRepeated({ by, parts }: Upload, before: readonly Upload[]): boolean {
  return by !== undefined && before.some((other) => other.by !== undefined && other.parts === parts)
}

function placeOf({ by }: Upload): string {
  return by === undefined ? '@Upload' : `\`upload\` in ${by}()`
}

function twice(subject: string, uploads: readonly Upload[]): Problem {
  const places = uploads.map(placeOf).join(' and ')
  return {
    code: uploads.every(({ by }) => by === undefined) ? 'E_DECORATOR_CONFLICT' : 'E_INPUT_TWICE',
    subject,
    cause: `Its form is described ${uploads.length} times, by ${places}, but only one of them can describe it.`,
    remedy: 'Keep one of them, or merge them.',
  }
}

function checkParts(subject: string, parts: unknown): Problem[] {
  const isPlain =
    typeof parts === 'object' &&
    parts !== null &&
    !('~standard' in parts) &&
    [Object.prototype, null].includes(Object.getPrototypeOf(parts))
  const names = isPlain ? Object.keys(parts) : []
  if (!isPlain || names.length === 0) {
    return [invalid(subject, 'Its argument must be an object with the parts of a form.', REMEDY)]
  }
  return Object.entries(parts).flatMap(([name, part]) => checkPart(`${subject} '${name}'`, part))
}

function checkPart(subject: string, part: unknown): Problem[] {
  if (part instanceof FileSchema) return checkFile(subject, part.options)
  const problem = schemaProblem(part)
  if (problem === null) return []
  const cause = `Its schema ${problem.cause}`
  return [{ code: 'E_SCHEMA_INVALID', subject, cause, remedy: problem.remedy }]
}

function checkFile(subject: string, options: unknown): Problem[] {
  if (typeof options !== 'object' || options === null) {
    return [invalid(subject, `The argument of file() is ${shown(options)}, not an object.`, REMEDY)]
  }
  const { maxSize, types, max, optional } = options as FileOptions
  return [
    ...unknownNames(`${subject} `, options, NAMES),
    ...checkSize(`${subject} maxSize`, maxSize),
    ...checkCount(`${subject} max`, max),
    ...checkTypes(subject, types),
    ...(optional === undefined || typeof optional === 'boolean'
      ? []
      : [invalid(`${subject} optional`, `${shown(optional)} is not a boolean.`, 'Write true.')]),
  ]
}

function checkTypes(subject: string, types: unknown): Problem[] {
  if (types === undefined) return []
  const given: unknown[] = Array.isArray(types) ? types : []
  const isRight = (type: unknown) => isMediaType(type) && /^[^*;]+(?:\/\*)?$/.test(type)
  if (given.length > 0 && given.every(isRight)) return []
  const cause = `${shown(types)} is not a list of media types without parameters.`
  return [invalid(`${subject} types`, cause, "Write types: ['image/png', 'image/jpeg'].")]
}

/** Reports other decorators that read the body, because a body can be read only once. */
function checkAlone(subject: string, facts: FactsByKind, upload = '@Upload'): Problem[] {
  const inputs = factsOf(facts, 'input').filter(({ source }) => source === 'body')
  const [body] = [...factsOf(facts, 'body'), ...inputs]
  const others = [
    ...(body === undefined ? [] : [body.by === undefined ? '@Body' : `\`body\` in ${body.by}()`]),
    ...(facts.webhook === undefined ? [] : ['@Webhook']),
  ]
  return others.map((other) => ({
    code: 'E_DECORATOR_CONFLICT',
    subject,
    cause: `It has ${upload} and ${other}, which both read the body.`,
    remedy: 'Remove one of them.',
  }))
}
