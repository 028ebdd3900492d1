import type { OptionMistake, OptionValue, RouteOption } from '../contracts/extensions.js'
import type { Fact, FactOf } from '../contracts/facts.js'
import type { RouteModel } from '../contracts/route-model.js'
import { invalid, type Problem } from '../errors/config-error.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

/** Checks the options created with `defineOption` on one class, without its base classes, or on one method. */
export function checkOptions(subject: string, facts: FactsByKind): Problem[] {
  const found = factsOf(facts, 'option')
  const single = new Set(found.flatMap(({ option, merge }) => (merge === 'list' ? [] : [option])))
  const problems = [...single].flatMap((option) => {
    const count = found.filter((each) => each.option === option).length
    return repeated(subject, `@${option.optionName}`, count)
  })
  for (const { option, value, check } of found) {
    const place = `${subject} @${option.optionName}`
    problems.push(
      ...mistakesIn(value, check, option).map(({ subject: member = '', code, cause, remedy }) => ({
        ...invalid(`${place} ${member}`.trim(), cause, remedy),
        ...(code !== undefined && { code: code as Problem['code'] }),
      })),
    )
  }
  return problems
}

/** Returns the mistakes in the value of an option. A value for which `check` throws is invalid. */
function mistakesIn(
  value: unknown,
  check: FactOf<'option'>['check'],
  { optionName }: RouteOption,
): readonly OptionMistake[] {
  const wrong = (cause: string) => [{ cause, remedy: `Correct the argument of @${optionName}(…).` }]
  try {
    const found = check?.(value as never) ?? []
    return typeof found === 'string' ? wrong(found) : found
  } catch (error) {
    return wrong(`Its check failed: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** The decorators that are allowed only once on a class or method, because a second decorator would be ignored. */
const SINGULAR: readonly (readonly [kind: Fact['kind'], name: string])[] = [
  ['controller', '@Controller'],
  ['limits', '@Limits'],
  ['version', '@Version'],
  ['responseFields', '@ResponseFields'],
  ['tags', '@ApiTags'],
  ['status', '@HttpCode'],
  ['redirect', '@Redirect'],
  ['envelope', '@Envelope'],
  ['produces', '@Produces'],
  ['webhook', '@Webhook'],
  ['operation', '@ApiOperation'],
  ['bodyDoc', '@ApiBody'],
]

/** Finds decorators that are repeated on one method, or on one class without its base classes. */
export function checkRepeated(subject: string, facts: FactsByKind): Problem[] {
  return SINGULAR.flatMap(([kind, name]) => repeated(subject, name, factsOf(facts, kind).length))
}

function repeated(subject: string, name: string, count: number): Problem[] {
  if (count < 2) return []
  const cause = `It has ${count} ${name} decorators, but only one of them would take effect.`
  return [conflict(subject, cause, 'Remove all but one, or merge them.')]
}

/** Finds parameters with several decorators that would all set the parameter's value. */
export function checkParameters(subject: string, facts: FactsByKind): Problem[] {
  const indexes = factsOf(facts, 'parameter').map(({ index }) => index)
  const repeated = indexes.filter((index, place) => indexes.indexOf(index) !== place)
  return [...new Set(repeated)].map((index) => {
    const cause = `Its parameter ${index} has several decorators, but only one can set its value.`
    return conflict(subject, cause, 'Use a separate parameter for each decorator.')
  })
}

function conflict(subject: string, cause: string, remedy: string): Problem {
  return { code: 'E_DECORATOR_CONFLICT', subject, cause, remedy }
}

type Options = Pick<RouteModel, 'options' | 'option'>

/** The options of a route without options. Most routes share this object. */
const NONE: Options = Object.freeze({ options: Object.freeze([]), option: () => undefined })

/**
 * Merges the options of a controller and of one method. Depending on the option, a value on the method replaces the
 * class's value or is appended to it.
 */
export function compileOptions(ofClass: FactsByKind, ofMethod: FactsByKind): Options {
  if (ofClass.option === undefined && ofMethod.option === undefined) return NONE
  const found = new Map<RouteOption, unknown>()
  const ofMethods = new Set(factsOf(ofMethod, 'option').map(({ option }) => option))
  const add = ({ option, value, merge }: FactOf<'option'>) => {
    const before = (found.get(option) ?? []) as readonly unknown[]
    found.set(option, merge === 'list' ? Object.freeze([...before, value]) : value)
  }
  // The facts begin with the class itself, followed by its base classes, so the first value of an option applies.
  for (const fact of factsOf(ofClass, 'option')) {
    if (fact.merge === 'list' || !found.has(fact.option)) add(fact)
  }
  for (const fact of factsOf(ofMethod, 'option')) add(fact)
  const options = [...found].map(
    ([option, value]): OptionValue =>
      Object.freeze({ name: option.optionName, value, isOfClass: !ofMethods.has(option) }),
  )
  // Each value has the type of its option, which the map's type cannot express.
  const option = ((wanted: RouteOption) => found.get(wanted)) as RouteModel['option']
  return { options: Object.freeze(options), option }
}
