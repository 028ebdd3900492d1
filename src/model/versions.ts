import type { FactOf } from '../contracts/facts.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { VersionSettings } from '../contracts/version.js'
import { invalid, type Problem, shown } from '../errors/config-error.js'
import { type FactsByKind, factsOf, firstOf } from './facts-by-kind.js'

/**
 * Matches version names. Paths and headers must be able to contain a name. Upper-case letters are not allowed, because
 * paths are case-insensitive.
 */
const NAME = /^[a-z0-9]+(?:[._-][a-z0-9]+)*$/
const LONGEST = 32
const NEUTRAL: readonly null[] = [null]

/** Whether a value is a valid version name. */
export function isVersion(name: unknown): name is string {
  return typeof name === 'string' && name.length <= LONGEST && NAME.test(name)
}

/**
 * Returns the versions of a route; `[null]` for a route in every version. `@Version` on a method overrides `@Version`
 * on the class.
 */
export function versionsIn(
  facts: FactsByKind,
  ofClass: FactsByKind,
): readonly (FactOf<'version'>['versions'][number] | null)[] {
  const fact = firstOf(facts, 'version') ?? firstOf(ofClass, 'version')
  return fact === undefined || fact.versions.includes('*') ? NEUTRAL : fact.versions
}

/** Lists the versions of routes in order: `2` before `10`. */
export function listVersions(routes: readonly Pick<RouteModel, 'version'>[]): string[] {
  const names = [...new Set(routes.flatMap(({ version }) => version ?? []))]
  // With fewer than two names, no collator is created: creating one took a twentieth of the startup time.
  return names.length < 2 ? names : names.sort(new Intl.Collator('en', { numeric: true }).compare)
}

/** Whether a request can match both routes, assuming that their methods and paths are equal. */
export function shareVersion(one: RouteModel, { version }: RouteModel): boolean {
  return one.version === null || version === null || one.version === version
}

/** Returns the routes of a version. Routes without a version belong to every version. */
export function routesIn(routes: readonly RouteModel[], version: string | null): RouteModel[] {
  return routes.filter((route) => route.version === null || route.version === version)
}

/** Checks the `@Version` of one method, or of one class without its base classes. */
export function checkVersions(subject: string, facts: FactsByKind): Problem[] {
  return factsOf(facts, 'version').flatMap(({ versions }) => {
    const wrong = versions.find((name) => !isVersion(name) && name !== '*')
    const cause =
      wrong !== undefined
        ? `${shown(wrong)} is not a version name.`
        : versions.length === 0
          ? 'It lists no version.'
          : new Set(versions).size < versions.length ||
              (versions.length > 1 && versions.includes('*'))
            ? `Its versions overlap: ${versions.join(', ')}.`
            : undefined
    return cause === undefined ? [] : [invalidVersion(`${subject} @Version`, cause)]
  })
}

/** Creates the problem for an invalid version name. */
export function invalidVersion(subject: string, cause: string): Problem {
  const remedy =
    "Write lower-case letters and digits, with '.', '-' or '_' between them: @Version('1', '2'); or '*' alone for every version."
  return { code: 'E_VERSION_INVALID', subject, cause, remedy }
}

/** Compares the versions of routes with the `versions` option. */
export function checkUsedVersions(
  routes: readonly RouteModel[],
  versions: VersionSettings | null,
): Problem[] {
  const known = listVersions(routes)
  if (versions === null) {
    const named = routes.filter(({ version }) => version !== null).map(({ name }) => name)
    return [...new Set(named)].map((subject) => ({
      code: 'E_VERSION_UNUSED',
      subject: `${subject} @Version`,
      cause:
        'The application does not set the option `versions`, so requests cannot specify a version.',
      remedy: "Add the option: versions: { by: 'path', default: '1' }.",
    }))
  }
  const has = known.length === 0 ? 'There is no @Version' : `Routes have ${known.join(', ')}`
  const ended = Object.keys(versions.deprecated).filter((name) => !known.includes(name))
  const problems = ended.map((name) =>
    invalid(
      `versions.deprecated['${name}']`,
      `No route has the version ${name}. ${has}.`,
      'Remove it, or correct its name.',
    ),
  )
  if (versions.default === null || known.includes(versions.default)) return problems
  return [
    ...problems,
    {
      code: 'E_VERSION_DEFAULT',
      subject: 'versions.default',
      cause: `No route has the version ${versions.default}. ${has}.`,
      remedy: "Specify an existing version, or add this one to a route with @Version('…').",
    },
  ]
}
