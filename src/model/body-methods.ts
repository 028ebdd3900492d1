import type { HttpMethod, RouteModel } from '../contracts/route-model.js'

/** Methods with a body. The body is read even if the route has no schema for it. */
const METHODS_WITH_BODY: readonly HttpMethod[] = ['QUERY', 'POST', 'PUT', 'PATCH', 'DELETE', 'ALL']

/** Whether the framework reads the body of a route's requests. */
export function readsBody({
  method,
  inputs,
  bodies,
}: Pick<RouteModel, 'method' | 'inputs' | 'bodies'>): boolean {
  return inputs.body !== null || bodies !== null || hasBody(method)
}

/** Whether the requests of a method have a body. */
export function hasBody(method: HttpMethod): boolean {
  return METHODS_WITH_BODY.includes(method)
}
