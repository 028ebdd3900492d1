import type {
  ApiBodyOptions,
  ApiOperationOptions,
  ApiResponseOptions,
} from '../contracts/operation.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'
import { type OptionNames, unknownNames } from '../errors/option-group.js'
import { isMediaType } from './compile-produces.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'
import { schemaProblem } from './schema-problem.js'

/** The characters that every tool accepts in an `operationId`, which becomes a function name in generated clients. */
const OPERATION_ID = /^[A-Za-z0-9_-]+$/

const OPERATION: OptionNames<ApiOperationOptions> = {
  summary: true,
  description: true,
  deprecated: true,
  operationId: true,
}
const BODY: OptionNames<ApiBodyOptions> = { schema: true, description: true, required: true }
const RESPONSE: OptionNames<ApiResponseOptions> = {
  status: true,
  description: true,
  schema: true,
  raw: true,
  contentType: true,
  content: true,
}

/** Checks the decorators that affect only the document. */
export function checkDocumentation(subject: string, facts: FactsByKind): Problem[] {
  const problems: Problem[] = []
  for (const { options } of factsOf(facts, 'operation')) {
    problems.push(...checkOperation(subject, options))
  }
  for (const { options } of factsOf(facts, 'bodyDoc')) {
    problems.push(
      ...unknownNames(`${subject} @ApiBody `, options, BODY),
      ...checkSchema(`${subject} @ApiBody`, options?.schema),
    )
  }
  return [...problems, ...checkResponseDocs(subject, facts)]
}

function checkOperation(subject: string, options: unknown): Problem[] {
  if (typeof options !== 'object' || options === null) {
    const remedy = 'Pass { summary, description, deprecated, operationId }.'
    return [invalid(subject, '@ApiOperation was called without options.', remedy)]
  }
  const { operationId } = options as { operationId?: unknown }
  const problems = unknownNames(`${subject} @ApiOperation `, options, OPERATION)
  const isName = typeof operationId === 'string' && OPERATION_ID.test(operationId)
  if (operationId === undefined || isName) return problems
  const cause = `Its operationId ${shown(operationId)} cannot be the name of a method in generated clients.`
  return [...problems, invalid(subject, cause, 'Use letters, digits, `_` and `-`.')]
}

function checkSchema(subject: string, schema: unknown): Problem[] {
  const problem = schemaProblem(schema)
  if (problem === null) return []
  const cause = `Its schema ${problem.cause}`
  return [{ code: 'E_SCHEMA_INVALID', subject, cause, remedy: problem.remedy }]
}

/** Checks each `@ApiResponseDoc` of one class, without its base classes, or of one method. */
export function checkResponseDocs(subject: string, facts: FactsByKind): Problem[] {
  const stated = factsOf(facts, 'responseDoc').map(({ options }) => options)
  return checkDocumented({ subject, label: '@ApiResponseDoc' }, stated)
}

/** The place where responses are documented, for messages. */
interface DocumentedAt {
  readonly subject: string
  readonly label: string
}

type Stated = Partial<ApiResponseOptions> | undefined

/** Checks a list of documented responses. In JavaScript code, the values may have any type. */
export function checkDocumented(
  { subject, label }: DocumentedAt,
  stated: readonly Stated[],
): Problem[] {
  const problems: Problem[] = []
  const seen = new Set<number>()
  for (const options of stated) {
    const { status, schema, description, contentType, content } = options ?? {}
    problems.push(...unknownNames(`${subject} ${label} `, options, RESPONSE))
    if (!isStatus(status)) {
      const cause = `The status of ${label} is ${shown(status)}.`
      problems.push(invalid(subject, cause, 'Pass a whole number from 100 to 599.'))
      continue
    }
    if (seen.has(status)) {
      const cause = `It documents the status ${status} twice, but only one description can apply.`
      problems.push({ code: 'E_DECORATOR_CONFLICT', subject, cause, remedy: 'Remove one of them.' })
    }
    seen.add(status)
    if (description !== undefined && !isText(description)) {
      const cause = `The description of ${label} for the status ${status} is empty or not a string.`
      const remedy = 'Pass a string, or omit it: the default is the reason phrase of the status.'
      problems.push(invalid(subject, cause, remedy))
    }
    if (contentType !== undefined && !isMediaType(contentType)) {
      const cause = `The \`contentType\` of ${label} for the status ${status} is not a media type.`
      problems.push(invalid(subject, cause, "Pass a type with its subtype: 'text/csv'."))
    }
    if (content !== undefined) {
      problems.push(
        ...checkContent({ subject, label: `${label} for the status ${status}` }, options),
      )
    }
    if (schema !== undefined) {
      problems.push(...checkSchema(`${subject} ${label}(${status})`, schema))
    }
  }
  return problems
}

/**
 * Checks the description of a file response. A file is described only by its media type, because its bytes are not
 * read.
 */
function checkContent({ subject, label }: DocumentedAt, stated: Stated): Problem[] {
  if (!isMediaType(stated?.content)) {
    const cause = `The \`content\` of ${label} is not a media type.`
    return [invalid(subject, cause, "Pass a type with its subtype: 'application/pdf'.")]
  }
  const others = (['schema', 'raw', 'contentType'] as const).filter(
    (name) => stated?.[name] !== undefined,
  )
  return others.map((name) => ({
    code: 'E_DECORATOR_CONFLICT' as const,
    subject,
    cause: `\`content\`, which is for files, and \`${name}\` cannot be combined in ${label}.`,
    remedy: `Remove \`${name}\` if the response is a file, otherwise \`content\`.`,
  }))
}

function isStatus(status: unknown): status is number {
  return Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 599
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
