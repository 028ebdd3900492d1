import type { AppModel, RouteMatch, RouteModel } from '../contracts/route-model.js'
import type { VersionSettings } from '../contracts/version.js'
import { versionReader, withoutVersion } from '../features/versions/read-version.js'
import { listVersions, routesIn } from '../model/versions.js'
import { compileDispatch, type DispatchConfig } from '../pipeline/compile-dispatch.js'
import type { Routable, Router } from '../routing/build-router.js'
import type { RunRoute } from '../step/step.js'
import type { Settings } from './settings/settings.js'

type BuildRouter = (routes: readonly Routable[]) => Router

/**
 * Builds the router of an application with versions. With `by: 'path'`, the paths in the model already contain the
 * versions.
 */
export function versionRouter(
  { routes }: AppModel,
  { versions, prefix }: { readonly versions: VersionSettings } & Pick<Settings, 'prefix'>,
  build: BuildRouter,
): Router {
  return versions.by === 'path'
    ? pathRouter(routes, build, versionPlace(prefix))
    : headerRouter(routes, versions, build)
}

/** The index of the version among the segments of a path. */
export function versionPlace(prefix: string): number {
  return prefix.split('/').filter(Boolean).length + 1
}

/**
 * Builds the router for versions in paths. If no route has the version of a request, the path is looked up again, once
 * for each version. If a version has such a route, the result names the existing versions.
 */
function pathRouter(routes: readonly RouteModel[], build: BuildRouter, place: number): Router {
  const match = build(routes.flatMap(withPlainPath))
  const names = listVersions(routes).map((version) => `v${version}`)
  const message = `The path does not exist in this version. Use ${names.join(', ')}`
  return function matchPath(method, url) {
    const found = match(method, url)
    if (found.kind !== 'none') return found
    const parts = url.split('/')
    const named = parts[place]?.split(/[?#]/, 1)[0] ?? ''
    if (!/^v[a-z0-9]/i.test(named) || names.includes(named.toLowerCase())) return found
    const exists = names.some(
      (name) => match(method, parts.with(place, name).join('/')).kind !== 'none',
    )
    return exists ? { kind: 'version', message } : found
  }
}

/** Lists a route by its path, and a route of the default version also by the path without a version. */
function withPlainPath(route: RouteModel): Routable[] {
  const { index, method, plainPath } = route
  return plainPath === null ? [route] : [route, { index, method, path: plainPath }]
}

/** Builds one router for each version, so that paths, methods and `Allow` do not include the other versions. */
function headerRouter(
  routes: readonly RouteModel[],
  versions: VersionSettings,
  build: BuildRouter,
): Router {
  const names = listVersions(routes)
  const routers = new Map(names.map((name) => [name, build(routesIn(routes, name))]))
  const neutral = build(routesIn(routes, null))
  const read = versionReader(versions)
  const unknown: RouteMatch = { kind: 'version', message: howToName(versions, names) }
  return function matchVersion(method, url, headers = {}) {
    const match = routers.get(read(headers) ?? versions.default ?? '')
    if (match !== undefined) return match(method, url)
    const found = neutral(method, url)
    if (found.kind === 'route' || found.kind === 'malformed') return found
    const helps = ({ kind }: RouteMatch) =>
      kind === 'route' || (kind === 'method' && found.kind === 'none')
    return [...routers.values()].some((each) => helps(each(method, url))) ? unknown : found
  }
}

function howToName({ by, header }: VersionSettings, names: readonly string[]): string {
  const [name = ''] = names
  const how =
    by === 'header' ? `${header}: ${name}` : `${header}: application/json; version=${name}`
  return `The request does not specify an existing version. Send one of ${names.join(', ')}, as in \`${how}\``
}

/**
 * Like {@link compileDispatch}, for requests whose headers specify the version. `Vary` reports the header to caches.
 */
export function dispatchVersions(config: DispatchConfig, header: string): RunRoute {
  const { match, routes } = config
  let found: RouteMatch
  const dispatch = compileDispatch({ ...config, match: () => found })
  return function dispatchVersion(req, res) {
    found = match(req.method, req.url, req.headers)
    // Routes in every version, and routes of the framework, do not read the header.
    const isVersioned = found.kind !== 'route' || (routes[found.index]?.version ?? null) !== null
    if (isVersioned) res.vary(header)
    const { accept } = req.headers
    if (header === 'Accept' && accept !== undefined && found.kind === 'route')
      req.headers.accept = withoutVersion(accept)
    dispatch(req, res)
  }
}
