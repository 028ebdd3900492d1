import type { RouteModel } from '../../contracts/route-model.js'
import { type AppliedDecorator, chainOf, readClass, readDecorators } from '../../metadata/read.js'
import { inherit } from '../../model/inherit.js'
import type { ExplainedDecorator } from './explanation.js'
import { findPlaces } from './find-places.js'

/**
 * The decorators of a route with their places: those of the class and its base classes, then those of the method.
 *
 * @param cwd The folder that the paths are relative to.
 */
export function explainDecorators(
  { controller, handler }: RouteModel,
  cwd: string,
): ExplainedDecorator[] {
  const chain = chainOf(controller)
  const facts = inherit(chain.map(readClass)).methods.get(handler) ?? {}
  const inForce = new Set(Object.values(facts).flat())
  const found = chain.flatMap((link) =>
    readDecorators(link, handler).map((decorator) => ({ link, decorator })),
  )
  const ofClass = found.filter(({ decorator }) => decorator.member === null)
  const ofMethod = found.filter(({ decorator }) => decorator.member !== null)
  return [...ofClass, ...ofMethod].map(({ link, decorator }) => ({
    name: decorator.name.replace('()', ''),
    on: targetOf(decorator),
    class: link.name,
    method: decorator.member === null ? null : String(decorator.member),
    parameter: decorator.parameter,
    isReplaced: decorator.member !== null && !decorator.facts.some((fact) => inForce.has(fact)),
    ...findPlaces(decorator, cwd),
  }))
}

function targetOf({ member, parameter }: AppliedDecorator): ExplainedDecorator['on'] {
  if (member === null) return 'class'
  return parameter === null ? 'method' : 'parameter'
}
