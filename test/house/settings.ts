import ts from 'typescript-5'
import { describe, expect, it } from 'vitest'
import { parse, readSources, walk } from './sources.js'

/** The types of options. A file that imports none of them reads no options. */
const OPTION_TYPES = new Set([
  'AppOptions',
  'AuthOptions',
  'CacheOptions',
  'CapacityOptions',
  'ErrorOptions',
  'HealthOptions',
  'LimitOptions',
  'ListenOptions',
  'LoggerOptions',
  'LogsOptions',
  'MetricsOptions',
  'RateLimitOptions',
  'ResponseOptions',
  'SecurityOptions',
  'SwaggerOptions',
  'TenantMiddlewareOptions',
  'TenantOptions',
  'TenantSourceOptions',
  'TimeoutOptions',
  'ValidationOptions',
])

/** The files that may read options: the doors, and the files that check and resolve options. */
const READERS = [
  'app/app.ts',
  'app/declared-app.ts',
  'app/listening.ts',
  'app/settings/app-options.ts',
  'app/settings/groups.ts',
  'app/settings/named-middlewares.ts',
  'app/settings/resolve-settings.ts',
  'app/tenancy/create-tenant-middleware.ts',
  'testing/test-options.ts',
]

/** The types of options that a file imports from another one. */
function optionTypesOf(tree: ts.SourceFile): string[] {
  return walk(tree)
    .filter(ts.isImportSpecifier)
    .flatMap(({ name, propertyName }) => {
      const imported = (propertyName ?? name).text
      return OPTION_TYPES.has(imported) ? [imported] : []
    })
}

const sources = readSources()

describe('the types of options', () => {
  it('are found even if they are imported under another name', () => {
    const text = "import { type AppOptions as Given, App } from './app.js'"
    expect(optionTypesOf(parse('x.ts', text))).toEqual(['AppOptions'])
    expect(optionTypesOf(parse('x.ts', "import { Settings } from './settings.js'"))).toEqual([])
  })

  it('are all declared in files that are named *-options.ts', () => {
    const declared = sources.flatMap(({ path, tree }) =>
      tree.statements
        .filter(ts.isInterfaceDeclaration)
        .flatMap(({ name }) => (OPTION_TYPES.has(name.text) ? [{ name: name.text, path }] : [])),
    )
    expect(declared.map(({ name }) => name).sort()).toEqual([...OPTION_TYPES].sort())
    expect(declared.filter(({ path }) => !path.endsWith('-options.ts'))).toEqual([])
  })

  it('are imported only by the listed files', () => {
    const readers = sources.filter(({ tree }) => optionTypesOf(tree).length > 0)
    expect(readers.map(({ path }) => path)).toEqual(READERS)
  })

  it('are resolved only in the listed files', () => {
    const callers = sources.filter(({ tree }) =>
      walk(tree).some(
        (node) =>
          ts.isCallExpression(node) &&
          ts.isPropertyAccessExpression(node.expression) &&
          /[gG]roup$/.test(node.expression.expression.getText(tree)) &&
          node.expression.name.text === 'resolve',
      ),
    )
    expect(callers.map(({ path }) => path)).toEqual([
      // The other name of `swagger`.
      'app/settings/plain-options.ts',
      'app/settings/resolve-settings.ts',
      'app/tenancy/create-tenant-middleware.ts',
      'testing/test-caller.ts',
    ])
  })
})

describe('E_OPTION_INVALID', () => {
  /** Integrations, and features that import public names only, write a problem as a plugin of a stranger does. */
  const OF_PLUGINS = /^(?:integrations|features\/(?:cache|rate-limit))\//

  it('is used only in `invalid`, in option groups, and in code that is written like a plugin', () => {
    const writers = sources
      .filter(({ text }) => text.includes("code: 'E_OPTION_INVALID'"))
      .map(({ path }) => path)
      .filter((path) => !OF_PLUGINS.test(path))
    expect(writers).toEqual(['errors/config-error.ts', 'errors/option-group.ts'])
  })
})
