import type { FactOf } from '../contracts/facts.js'
import type { Problem } from '../errors/config-error.js'
import { invalid } from '../errors/invalid.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'
import { schemaProblem } from './schema-problem.js'

/** The characters that every tool accepts in an `operationId`, which becomes the name of a function. */
const OPERATION_ID = /^[A-Za-z0-9_-]+$/

/** Checks the decorators that only the document reads. */
export function checkDocumentation(subject: string, facts: FactsByKind): Problem[] {
  const problems: Problem[] = []
  for (const { options } of factsOf(facts, 'operation')) {
    problems.push(...checkOperation(subject, options))
  }
  for (const { options } of factsOf(facts, 'bodyDoc')) {
    problems.push(...checkSchema(`${subject} @ApiBody`, options?.schema))
  }
  problems.push(...checkResponses(subject, factsOf(facts, 'responseDoc')))
  return problems
}

function checkOperation(subject: string, options: unknown): Problem[] {
  if (typeof options !== 'object' || options === null) {
    const remedy = 'Give { summary, description, deprecated, operationId }.'
    return [invalid(subject, '@ApiOperation was given no options.', remedy)]
  }
  const { operationId } = options as { operationId?: unknown }
  if (operationId === undefined || OPERATION_ID.test(String(operationId))) return []
  const cause = `Its operationId '${String(operationId)}' cannot be the name of a method in generated clients.`
  return [invalid(subject, cause, 'Use letters, digits, `_` and `-`.')]
}

function checkSchema(subject: string, schema: unknown): Problem[] {
  const problem = schemaProblem(schema)
  if (problem === null) return []
  const cause = `Its schema ${problem.cause}`
  return [{ code: 'E_SCHEMA_INVALID', subject, cause, remedy: problem.remedy }]
}

function checkResponses(subject: string, stated: readonly FactOf<'responseDoc'>[]): Problem[] {
  const problems: Problem[] = []
  const seen = new Set<number>()
  for (const { options } of stated) {
    const { status, schema, description } = options ?? {}
    if (!(Number.isInteger(status) && status >= 100 && status <= 599)) {
      const cause = `@ApiResponseDoc was given the status ${String(status)}.`
      problems.push(invalid(subject, cause, 'Give a whole number, 100 to 599.'))
      continue
    }
    if (seen.has(status)) {
      const cause = `It has two @ApiResponseDoc of the status ${status}; only one can describe it.`
      problems.push({ code: 'E_DECORATOR_CONFLICT', subject, cause, remedy: 'Remove one of them.' })
    }
    seen.add(status)
    if (typeof description !== 'string' || description === '') {
      const cause = `@ApiResponseDoc of the status ${status} has no description, which OpenAPI requires.`
      problems.push(invalid(subject, cause, 'Give one.'))
    }
    if (schema !== undefined) {
      problems.push(...checkSchema(`${subject} @ApiResponseDoc(${status})`, schema))
    }
  }
  return problems
}
