import type { RouteModel } from '../../contracts/route-model.js'
import { chainOf, readDecorators } from '../../metadata/read.js'
import type { ExplainedDecorator } from './explanation.js'
import { findPlace } from './find-place.js'

/**
 * The decorators of a route with their places: decorators of the class and its base classes, then decorators of the
 * method.
 *
 * @param cwd The folder that the paths are relative to.
 */
export function explainDecorators(
  { controller, handler }: RouteModel,
  cwd: string,
): ExplainedDecorator[] {
  const found = chainOf(controller).flatMap((link) =>
    readDecorators(link, handler).map((decorator) => ({ ...decorator, owner: link.name })),
  )
  const ofClass = found.filter(({ member }) => member === null)
  const ofMethod = found.filter(({ member }) => member !== null)
  return [...ofClass, ...ofMethod].map(({ name, owner, member, parameter, ...stacks }) => {
    const method = `${owner}.${String(member)}`
    const target = parameter === null ? method : `parameter ${parameter} of ${method}`
    return {
      name: name.replace('()', ''),
      on: member === null ? `class ${owner}` : target,
      at: findPlace(stacks, cwd),
    }
  })
}
