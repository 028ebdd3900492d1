import type { AppModel } from '../contracts/route-model.js'
import type { Problem } from '../errors/config-error.js'
import { hasShape } from '../model/paths.js'
import { docsUrls } from '../openapi/swagger-options.js'
import type { Settings } from './settings/settings.js'

/** Warns if, in production, the document of protected routes is public and `swagger.enabled` is not set. */
export function checkExposedDocs({ swagger }: Settings, { routes }: AppModel): Problem[] {
  if (process.env['NODE_ENV'] !== 'production') return []
  const undecided = swagger.filter(({ isDecided }) => !isDecided)
  const hidden = routes.filter(({ isProtected, operation }) => isProtected && !operation.isHidden)
  if (undecided.length === 0 || hidden.length === 0) return []
  const [{ name } = { name: '' }] = hidden
  const others = hidden.length === 1 ? '' : ` and ${hidden.length - 1} more`
  return [
    {
      code: 'W_DOCS_EXPOSED',
      subject: 'swagger',
      cause: `In production, every client can read the documentation of protected routes at ${undecided.map(({ path }) => path).join(', ')}: ${name}${others}.`,
      remedy:
        "Set `enabled: true` in `openapi` (or `swagger`) if this is intended; otherwise `enabled: false`, or `enabled: process.env.NODE_ENV !== 'production'`.",
    },
  ]
}

/** Finds application routes on a path where a document or its page is served. */
export function checkDocsRoutes(
  { routes }: AppModel,
  served: readonly { readonly path: string }[],
): Problem[] {
  const taken = served.flatMap(({ path }) => docsUrls(path))
  return routes
    .filter((route) => ['GET', 'ALL'].includes(route.method))
    .filter((route) => taken.some((url) => hasShape(route, url)))
    .map(({ name, path }) => ({
      code: 'E_ROUTE_DUPLICATE',
      subject: name,
      cause: `GET ${path} is already handled by the documentation.`,
      remedy:
        'Set another `path` in the option `openapi` (or `swagger`), or disable the documentation with `false`.',
    }))
}
