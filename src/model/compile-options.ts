import type { OptionValue, RouteOption } from '../contracts/extensions.js'
import type { FactOf } from '../contracts/facts.js'
import type { RouteModel } from '../contracts/route-model.js'
import { type FactsByKind, factsOf } from './facts-by-kind.js'

type Options = Pick<RouteModel, 'options' | 'option'>

/** The options of a route without any. Most routes share it. */
const NONE: Options = Object.freeze({ options: Object.freeze([]), option: () => undefined })

/**
 * Merges the options of a controller and of one method. A value on the method replaces the one on the class, or follows
 * it, as the option is defined.
 */
export function compileOptions(ofClass: FactsByKind, ofMethod: FactsByKind): Options {
  if (ofClass.option === undefined && ofMethod.option === undefined) return NONE
  const found = new Map<RouteOption, unknown>()
  const add = ({ option, value, merge }: FactOf<'option'>) => {
    const before = (found.get(option) ?? []) as readonly unknown[]
    found.set(option, merge === 'list' ? Object.freeze([...before, value]) : value)
  }
  // The facts of a class begin with the nearest one. So the first value of an option counts.
  for (const fact of factsOf(ofClass, 'option')) {
    if (fact.merge === 'list' || !found.has(fact.option)) add(fact)
  }
  for (const fact of factsOf(ofMethod, 'option')) add(fact)
  const options = [...found].map(
    ([{ optionName: name }, value]): OptionValue => Object.freeze({ name, value }),
  )
  // Each value has the type of its option, which the map cannot express.
  const option = ((wanted: RouteOption) => found.get(wanted)) as RouteModel['option']
  return { options: Object.freeze(options), option }
}
