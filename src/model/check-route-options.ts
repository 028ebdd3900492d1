import { inspect } from 'node:util'
import type { FactOf } from '../contracts/facts.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { RouteOptions } from '../contracts/route-options.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'
import { type FactsByKind, factsOf, writtenFacts } from './facts-by-kind.js'
import { schemaProblem } from './schema-problem.js'

const NAMES: Readonly<Record<keyof RouteOptions, true>> = {
  params: true,
  query: true,
  headers: true,
  cookies: true,
  body: true,
  upload: true,
  paged: true,
  returns: true,
  status: true,
  errors: true,
  responseHeaders: true,
  summary: true,
  can: true,
  cache: true,
  rateLimit: true,
}

/** The decorators whose checks also apply to a route option, each with the option and the kind of its facts. */
const MEANING = {
  '@HttpCode': { name: 'status', kind: 'status' },
  '@Paged': { name: 'paged', kind: 'pages' },
  '@ApiResponseDoc': { name: 'errors', kind: 'responseDoc' },
  '@Header': { name: 'responseHeaders', kind: 'header' },
  '@ApiOperation': { name: 'summary', kind: 'operation' },
  '@Can': { name: 'can', kind: 'can' },
  '@Cache': { name: 'cache', kind: 'option' },
  '@RateLimit': { name: 'rateLimit', kind: 'option' },
} as const

/**
 * Checks the names of a route's options, and the values that the checks of decorators do not cover, such as `returns`.
 */
export function checkRouteOptions(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'routeOptions').flatMap((fact) => {
    const problems = checkNames(subject, fact)
    return problems.length > 0 ? problems : checkValues(subject, fact, facts)
  })
}

function checkNames(subject: string, { by, options }: FactOf<'routeOptions'>): Problem[] {
  const known = Object.keys(NAMES)
  const remedy = `Write ${by}('path', { body: schema }), with any of these options: ${known.join(', ')}.`
  const refuse = (cause: string): Problem[] => [invalid(subject, cause, remedy)]
  if (options === undefined) {
    return refuse(
      `${by}() was given undefined after its path, which often results from a circular import.`,
    )
  }
  if (!isPlain(options)) {
    const given = '~standard' in Object(options) ? 'a schema' : inspect(options, { depth: 0 })
    return refuse(`${by}() was given ${given} after its path instead of an object of options.`)
  }
  const unknown = Object.keys(options).filter((name) => !known.includes(name))
  if (unknown.length === 0) return []
  if (unknown.includes('auth')) {
    const cause = `${by}() was given auth, which is not an option: it belongs only to the type Req<{ auth: true }>.`
    return [invalid(subject, cause, `Remove it, and add @Auth() next to ${by}().`)]
  }
  return refuse(`${by}() was given ${unknown.join(', ')}: routes have no such option.`)
}

function checkValues(
  subject: string,
  { by, options }: FactOf<'routeOptions'>,
  facts: FactsByKind,
): Problem[] {
  const { paged, returns, summary, errors, responseHeaders, can } = options as Record<
    string,
    unknown
  >
  const problems: Problem[] = []
  const refuse = (name: string, cause: string, remedy: string) =>
    problems.push(invalid(subject, `\`${name}\` in ${by}() ${cause}`, remedy))
  if (returns !== undefined) problems.push(...checkReturns(subject, { by, returns }, facts))
  if (paged !== undefined && facts.pages === undefined) {
    refuse(
      'paged',
      `must be the result of cursor() or page(), not ${shown(paged)}.`,
      'Write { paged: page(Item) }.',
    )
  }
  if (summary !== undefined && (typeof summary !== 'string' || summary === '')) {
    refuse(
      'summary',
      `must be a non-empty string, not ${shown(summary)}.`,
      'Describe the operation in a few words.',
    )
  }
  if (errors !== undefined && !isPlain(errors)) {
    refuse('errors', `must be an object, not ${shown(errors)}.`, "Write { 404: 'No such note' }.")
  }
  for (const status of Object.keys(isPlain(errors) ? errors : {})) {
    if (/^[45]\d\d$/.test(status)) continue
    refuse(
      'errors',
      `describes ${status}, which is not an error status.`,
      'Use a status from 400 to 599; describe a success response with `returns`.',
    )
  }
  if (responseHeaders !== undefined && !isPlain(responseHeaders)) {
    const remedy = "Write { 'Cache-Control': 'no-store' }."
    refuse('responseHeaders', `must be an object, not ${shown(responseHeaders)}.`, remedy)
  }
  const abilities: readonly unknown[] = Array.isArray(can) ? can : [can]
  if (can !== undefined && abilities.some((each) => typeof each !== 'string' || each === '')) {
    refuse('can', 'must be an ability or a list of abilities.', "Write can: 'notes:write'.")
  }
  return problems
}

function checkReturns(
  subject: string,
  { by, returns }: { readonly by: string; readonly returns: unknown },
  facts: FactsByKind,
): Problem[] {
  const problem = schemaProblem(returns)
  if (problem !== null) {
    const cause = `The schema of \`returns\` in ${by}() ${problem.cause}`
    return [{ code: 'E_SCHEMA_INVALID', subject, cause, remedy: problem.remedy }]
  }
  const schemas = new Set(factsOf(facts, 'returns').map(({ schema }) => schema))
  const others = [
    ...(schemas.size > 1 ? ['another `returns`'] : []),
    ...(facts.stream === undefined ? [] : ['the schema of its stream']),
    ...(facts.redirect === undefined ? [] : ['@Redirect']),
  ]
  return others.map((other) => ({
    code: 'E_DECORATOR_CONFLICT',
    subject,
    cause: `It has \`returns\` in ${by}() and ${other}, but only one of them can describe the success response.`,
    remedy: 'Keep the intended description.',
  }))
}

/** Replaces the decorator's name in a problem with the equivalent route option, if the method has only the option. */
export function inWordsOfOptions(problem: Problem, facts: FactsByKind): Problem {
  const [given] = factsOf(facts, 'routeOptions')
  if (given === undefined || !isPlain(given.options)) return problem
  let { subject, cause } = problem
  for (const [decorator, { name, kind }] of Object.entries(MEANING)) {
    const value = (given.options as RouteOptions)[name]
    const written = factsOf(facts, kind).filter(
      (fact) => fact.kind !== 'option' || `@${fact.option.optionName}` === decorator,
    )
    if (value === undefined || written.length > countOf(name, value)) continue
    const pattern = new RegExp(`${decorator}(?:\\(([^)]*)\\))?(?!\\w)`, 'g')
    const inPlace = (text: string) =>
      text.replace(
        pattern,
        (_, value = '') => `\`${name}${value && `: ${value}`}\` in ${given.by}()`,
      )
    subject = inPlace(subject)
    cause = inPlace(cause)
  }
  return { ...problem, subject, cause }
}

/** Like {@link inWordsOfOptions}, for a problem that was found in the model of a route. */
export function inWordsOfRoute(problem: Problem, route: RouteModel): Problem {
  const facts = writtenFacts(route)
  return facts === undefined ? problem : inWordsOfOptions(problem, facts)
}

/** Returns the number of facts that are created for an option. */
function countOf(name: keyof RouteOptions, value: unknown): number {
  return name === 'errors' || name === 'responseHeaders' ? Object.keys(Object(value)).length : 1
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || '~standard' in value) return false
  return [Object.prototype, null].includes(Object.getPrototypeOf(value))
}
