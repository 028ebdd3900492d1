import type { FileOptions } from '../contracts/upload.js'
import type { Problem } from '../errors/config-error.js'
import { invalid, shown } from '../errors/invalid.js'
import { type Names, unknownNames } from '../errors/option-group.js'
import { checkCount, checkSize } from '../http/check-units.js'
import { FileSchema } from '../schema/file-schema.js'
import { isMediaType } from '../schema/media-type.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'
import { schemaProblem } from './schema-problem.js'

const NAMES: Names<FileOptions> = { maxSize: true, types: true, max: true, optional: true }
const REMEDY =
  "Write @Upload({ title: schema, avatar: file({ maxSize: '5mb', types: ['image/png'] }) })."

/** Checks the `@Upload` of a method. */
export function checkUpload(subject: string, facts: FactsByKind): Problem[] {
  const place = `${subject} @Upload`
  const problems = factsOf(facts, 'upload').flatMap(({ parts }) => checkParts(place, parts))
  return [...problems, ...checkAlone(subject, facts)]
}

function checkParts(subject: string, parts: unknown): Problem[] {
  const isPlain =
    typeof parts === 'object' &&
    parts !== null &&
    !('~standard' in parts) &&
    [Object.prototype, null].includes(Object.getPrototypeOf(parts))
  const names = isPlain ? Object.keys(parts) : []
  if (!isPlain || names.length === 0) {
    return [invalid(subject, 'It was given no object of the parts of a form.', REMEDY)]
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
    return [invalid(subject, `file() was given ${shown(options)}.`, REMEDY)]
  }
  const { maxSize, types, max, optional } = options as FileOptions
  return [
    ...unknownNames(`${subject} `, options, NAMES),
    ...checkSize(`${subject} maxSize`, maxSize),
    ...checkCount(`${subject} max`, max),
    ...checkTypes(subject, types),
    ...(optional === undefined || typeof optional === 'boolean'
      ? []
      : [invalid(`${subject} optional`, `${shown(optional)} is no boolean.`, 'Write true.')]),
  ]
}

function checkTypes(subject: string, types: unknown): Problem[] {
  if (types === undefined) return []
  const given: unknown[] = Array.isArray(types) ? types : []
  const isRight = (type: unknown) => isMediaType(type) && /^[^*;]+(?:\/\*)?$/.test(type)
  if (given.length > 0 && given.every(isRight)) return []
  const cause = `${shown(types)} is no list of media types without parameters.`
  return [invalid(`${subject} types`, cause, "Write types: ['image/png', 'image/jpeg'].")]
}

/** The body of a request is read once, and in one way. */
function checkAlone(subject: string, facts: FactsByKind): Problem[] {
  const isPlain = factsOf(facts, 'input').some(({ source }) => source === 'body')
  const others = [
    ...(facts.body !== undefined || isPlain ? ['@Body'] : []),
    ...(facts.webhook === undefined ? [] : ['@Webhook']),
  ]
  return others.map((other) => ({
    code: 'E_DECORATOR_CONFLICT',
    subject,
    cause: `It has @Upload and ${other}, which both read the body.`,
    remedy: 'Remove one of them.',
  }))
}
