import type { AnyPolicy, CheckModel } from '../../contracts/policy.js'
import { routeOf } from '../../http/request-notes.js'
import { checksOf } from './checks.js'

/** For each request, the route's declarations that the request has satisfied. */
const noted = new WeakMap<object, Set<CheckModel>>()

/**
 * Returns the declarations that a use of a policy satisfies. Outside controllers, for example in `middlewares` or in a
 * job, no declaration is needed.
 *
 * @throws Error if no `@Checks` of the route declares this use, because the error response would be missing in the
 * document.
 */
export function declaredChecks(
  req: { readonly route?: unknown },
  policy: AnyPolicy,
  action: string,
): readonly CheckModel[] {
  const route = routeOf(req)
  if (route === undefined || !policy.actions.includes(action)) return []
  const declared = checksOf(route).filter((each) => covers(each, policy, action))
  if (declared.length > 0) return declared
  const form = policy.isHidden ? '' : ', without or404()'
  throw new Error(
    `${route.name} uses the policy '${policy.name}' for '${action}' but does not declare it. ` +
      `Add @Checks(…, '${action}') with this policy${form} to the handler.`,
  )
}

/** Records that a request has satisfied these declarations. */
export function noteChecks(req: object, checks: readonly CheckModel[]): void {
  const met = noted.get(req) ?? new Set()
  noted.set(req, met)
  for (const each of checks) met.add(each)
}

/** Returns a declaration that the request has not satisfied; `undefined` if there is none. */
export function uncheckedOf(req: object, checks: readonly CheckModel[]): CheckModel | undefined {
  const met = noted.get(req)
  return checks.find((each) => met?.has(each) !== true)
}

/**
 * Whether a declaration covers a use of a policy. A declaration with 403 also covers the use of `or404`, because every
 * declaration includes 404.
 */
function covers({ policy, actions }: CheckModel, used: AnyPolicy, action: string): boolean {
  const isSame = policy.or404() === used.or404()
  return isSame && actions.includes(action) && (used.isHidden || !policy.isHidden)
}
