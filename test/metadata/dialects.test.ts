/// <reference types="vite/client" />
import * as blazon from 'blazon'
import { expect, it } from 'vitest'
import { ROUTE_OPTIONS } from '../../src/app/features.js'
import type { Class } from '../../src/contracts/provider.js'
import { readInjections } from '../../src/metadata/read.js'
import { compileModel } from '../../src/model/compile-model.js'
import { readChain } from '../../src/model/field-routes.js'
import { controllersOf, textOf } from './compare-dialects.js'
import source from './every-decorator.ts?raw'

// `vitest.config.ts` compiles a module whose path ends with `?legacy`, and those that it imports, with `experimentalDecorators`.
type Modules = Record<string, Record<string, unknown>>
const standard = import.meta.glob(
  [
    './every-decorator.ts',
    '../journeys/**/{*-app,app,support,notes,shop,accounts}.ts',
    '../surface/*/index.ts',
  ],
  { eager: true },
) as Modules
const legacy = import.meta.glob(
  [
    './every-decorator.ts',
    '../journeys/**/{*-app,app,support,notes,shop,accounts}.ts',
    '../surface/*/index.ts',
  ],
  { eager: true, query: '?legacy' },
) as Modules

const described = Object.entries(standard).filter(([, module]) => controllersOf(module).length > 0)

/** Everything that boot reads from controllers: the frozen model, its problems, and what constructors and fields receive. */
function modelOf(controllers: readonly Class[]): string {
  const { model, problems } = compileModel(controllers, {
    readChain,
    routeOptions: ROUTE_OPTIONS,
    defaultAccess: 'public',
    hasGuard: true,
    guards: [],
    prefixOf: () => '',
    defaultStatus: {},
    envelope: true,
    documented: [],
    versions: { by: 'header', header: 'X-API-Version', default: null, deprecated: {} },
  })
  return textOf({ model, problems, injections: controllers.map(readInjections) })
}

it('the examples cover every decorator of both dialects and the applications of the journeys', () => {
  const isDecorator = (value: unknown) => typeof value === 'function' && !/^class /.test(`${value}`)
  // Other names of a function are left out: `test/journeys/surface/aliases.test.ts` has them.
  const seen = new Set<unknown>([
    blazon.ApiHidden,
    blazon.ApiResponseDoc,
    blazon.Can,
    blazon.Queries,
  ])
  const isAlias = (name: string, value: unknown) =>
    seen.has(value) && !['ApiHidden', 'ApiResponseDoc', 'Can', 'Queries'].includes(name)
  const decorators = Object.entries(blazon)
    .filter(([name, value]) => /^[A-Z]/.test(name) && isDecorator(value) && !isAlias(name, value))
    .map(([name]) => name)
  const absent = decorators.filter((name) => !source.includes(`@${name}(`))
  // Those of parameters and fields, which only one dialect has. `*.legacy.test.ts` has them.
  expect(absent).toEqual(['TenantId', 'Inject', 'CurrentUser', 'Req', 'Res'])
  expect(described.length).toBeGreaterThan(15)
})

it.each(described)('%s has the same model in both dialects', (path, module) => {
  const twin = legacy[path] as Record<string, unknown>
  const controllers = controllersOf(twin)
  // Only the standard dialect gives a decorated class the metadata object of its decorators.
  const isStandard = (controller: Class) => Object.hasOwn(controller, Symbol.metadata)
  expect(controllers.some(isStandard)).toBe(false)
  expect(controllersOf(module).every(isStandard)).toBe(true)
  expect(modelOf(controllers)).toBe(modelOf(controllersOf(module)))
})
