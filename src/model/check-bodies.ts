import type { FactOf } from '../contracts/facts.js'
import type { BodyOptions } from '../contracts/inputs.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'
import { type OptionNames, unknownNames } from '../errors/option-group.js'
import { checkSize } from '../http/units.js'
import { CONTENT_TYPES, contentTypesOf, typesOf } from './compile-bodies.js'
import { isMediaType } from './compile-produces.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'
import { schemaProblem } from './schema-problem.js'

const NAMES: OptionNames<BodyOptions> = { type: true, contentType: true, limit: true }
const REMEDY = "Write @Body(schema, { type: 'json' | 'form' | 'text' | 'bytes', limit: '1mb' })."

type Body = FactOf<'body'>

/** Checks the bodies that a method describes with options: in `@Body`, or in `body` of the route options. */
export function checkBodies(subject: string, facts: FactsByKind): Problem[] {
  const stated = factsOf(facts, 'body')
  const problems = stated.flatMap((body) => checkBody(`${subject} ${placeOf(body)}`, body))
  return problems.length > 0 ? problems : checkDistinct(subject, facts)
}

function placeOf({ by }: Body): string {
  return by === undefined ? '@Body' : `\`body\` in ${by}()`
}

function checkBody(subject: string, body: Body): Problem[] {
  const { options } = body
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    const cause =
      'Its options are not an object, or it describes a single key, which cannot have options.'
    return [invalid(subject, cause, REMEDY)]
  }
  const types = typesOf(options as BodyOptions)
  const wrong = types.find((type) => !Object.hasOwn(CONTENT_TYPES, type))
  if (wrong !== undefined || types.length === 0) {
    const cause =
      types.length === 0
        ? 'Its list of body types is empty.'
        : `${shown(wrong)} is not a body type.`
    return [invalid(subject, cause, REMEDY)]
  }
  return [
    ...unknownNames(`${subject} `, options, NAMES),
    ...checkSize(`${subject} limit`, (options as BodyOptions).limit),
    ...checkContentTypes(subject, options as BodyOptions),
    ...checkSchema(subject, body),
  ]
}

function checkContentTypes(subject: string, options: BodyOptions): Problem[] {
  const types = typesOf(options)
  if (options.contentType === undefined) return []
  const [type = 'json'] = types
  const mayBeRange = type === 'text' || type === 'bytes'
  const isRight = (each: string) =>
    isMediaType(each) && !each.includes(';') && (mayBeRange || !each.includes('*'))
  const given = contentTypesOf(type, options)
  if (types.length === 1 && given.length > 0 && given.every(isRight)) return []
  const cause = `Its contentType ${given.map(shown).join(', ')} is not a list of media types for a single body type.`
  const remedy =
    "Pass a type with its subtype and without parameters: 'text/csv'; for text and bytes, a range such as 'image/*' is also possible."
  return [invalid(subject, cause, remedy)]
}

function checkSchema(subject: string, body: Body): Problem[] {
  if (!('schema' in body)) return []
  const problem = schemaProblem(body.schema)
  if (problem !== null) {
    const cause = `Its schema ${problem.cause}`
    return [{ code: 'E_SCHEMA_INVALID', subject, cause, remedy: problem.remedy }]
  }
  const isBytes = typesOf(Object(body.options)).includes('bytes')
  if (!isBytes || '~standard' in Object(body.schema)) return []
  const cause = 'Its schema is a JSON Schema, which cannot describe a Buffer.'
  return [invalid(subject, cause, "Write @Body({ type: 'bytes' }), or pass a Standard Schema.")]
}

/** Finds bodies with the same media type, because only the first of them would be used. */
function checkDistinct(subject: string, facts: FactsByKind): Problem[] {
  const hasPlain = factsOf(facts, 'input').some(({ source }) => source === 'body')
  const all = factsOf(facts, 'body').flatMap(({ options }) =>
    typesOf(options as BodyOptions).flatMap((type) => contentTypesOf(type, options as BodyOptions)),
  )
  if (hasPlain) all.push(CONTENT_TYPES.json)
  const repeated = all.find((type, index) => all.indexOf(type) !== index)
  if (repeated === undefined) return []
  const cause = `Its ${repeated} body is described twice, but only one schema can describe it.`
  return [
    { code: 'E_INPUT_TWICE', subject, cause, remedy: 'Keep one of the schemas, or merge them.' },
  ]
}
