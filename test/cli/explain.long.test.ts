import ts from 'typescript-5'
import { beforeAll, describe, expect, it } from 'vitest'
import { DECORATORS, EXPLAINED_APP, ORDERS_CONTROLLER, ORDERS_ROUTE } from './explained-app.js'
import type { Outcome, Project } from './project.js'
import { useFastTsx } from './use-fast-tsx.js'
import { useProjects } from './use-projects.js'

const newProject = useProjects()

const project = (files: Readonly<Record<string, string | object>>): Project =>
  newProject(['tsx', 'zod']).write({ 'package.json': { type: 'module' }, ...files })

const compilerOptions = { target: 'es2022', module: 'nodenext' }
const STANDARD = { compilerOptions }
const LEGACY = { compilerOptions: { ...compilerOptions, experimentalDecorators: true } }

const SOURCES = {
  'src/app.ts': EXPLAINED_APP,
  'src/orders-controller.ts': ORDERS_CONTROLLER,
  'src/decorators.ts': DECORATORS,
}

const explain = (own: Project, ...args: string[]): Promise<Outcome> =>
  own.run(['routes', '--explain', ...args])

async function decoratorsOf(own: Project, ...args: string[]): Promise<string[]> {
  const { stdout } = await explain(own, ...args, '--json')
  const { decorators } = JSON.parse(stdout) as typeof ORDERS_ROUTE
  return decorators.map(placeOf)
}

const placeOf = ({ name, at }: (typeof ORDERS_ROUTE)['decorators'][number]) =>
  `${name} ${at?.file}:${at?.line}`

describe.each([
  ['standard decorators', STANDARD],
  ['experimentalDecorators', LEGACY],
])('a route in a project with %s', (_, tsconfig) => {
  let own: Project
  beforeAll(() => {
    own = project({ ...SOURCES, 'tsconfig.json': tsconfig })
  })

  it('is explained as JSON, without starting the application', async () => {
    const outcome = await explain(own, 'GET', '/orders/:id', '--json')
    expect(outcome).toMatchObject({ status: 0, stderr: 'printed by the application\n' })
    expect(JSON.parse(outcome.stdout)).toEqual(ORDERS_ROUTE)
  })

  it('is explained with its middlewares, its rate limit by user and its body', async () => {
    const { stdout } = await explain(own, 'POST', '/orders', '--json')
    const { handler, steps, decorators } = JSON.parse(stdout) as typeof ORDERS_ROUTE
    expect(handler).toBe('create')
    const sources = Object.fromEntries(steps.map((step) => [step.name, step.sources]))
    expect(sources).toMatchObject({
      userRateLimit: ['Orders.create: 2 requests in 60 s by user'],
      use: ['upload'],
      body: ['at most 102400 bytes, nested at most 64 levels deep'],
      validate: ['body (zod)'],
    })
    expect(decorators.map(placeOf)).toEqual(
      expect.arrayContaining([
        '@Post src/orders-controller.ts:52',
        '@RateLimit src/orders-controller.ts:53',
        '@Audit src/orders-controller.ts:56',
      ]),
    )
  })
})

it('the file of an explained decorator is relative to the working directory, also on a parameter', async () => {
  const own = useFastTsx(
    project({
      'tsconfig.json': LEGACY,
      'other/package.json': { type: 'module' },
      'src/app.ts': `import { App, Body, Controller, Post, Req } from 'blazon'

@Controller('users')
class UsersController {
  @Post()
  create(
    @Req() _req: unknown,
    @Body({ type: 'array', items: { enum: ['a', 'b'] } })
    body: string[],
  ) {
    return body
  }
}

export const app = new App({ controllers: [UsersController] })
`,
    }),
  )
  const args = ['routes', '--explain', '/users', '--json', '--entry', '../src/app.ts']
  const { stdout } = await own.run(args, 'other')
  const { decorators, steps } = JSON.parse(stdout) as typeof ORDERS_ROUTE
  expect(steps.find(({ name }) => name === 'validate')?.sources).toEqual(['body (JSON Schema)'])
  const file = '../src/app.ts'
  expect(decorators).toEqual([
    { name: '@Controller', on: 'class UsersController', at: { file, line: 3 } },
    { name: '@Post', on: 'UsersController.create', at: { file, line: 5 } },
    { name: '@Req', on: 'parameter 0 of UsersController.create', at: { file, line: 7 } },
    { name: '@Body', on: 'parameter 1 of UsersController.create', at: { file, line: 8 } },
  ])
})

describe('JavaScript that TypeScript compiled', () => {
  function compiled(sourceMap: boolean, experimentalDecorators: boolean): Project {
    const own = project({ ...SOURCES, 'package.json': { type: 'module', blazon: 'dist/app.js' } })
    for (const [name, text] of Object.entries(SOURCES)) {
      const base = name.replace(/^src\/(.*)\.ts$/, '$1')
      const { outputText, sourceMapText } = ts.transpileModule(text, {
        fileName: `../src/${base}.ts`,
        compilerOptions: {
          target: ts.ScriptTarget.ES2022,
          module: ts.ModuleKind.ESNext,
          experimentalDecorators,
          sourceMap,
        },
      })
      own.write({ [`dist/${base}.js`]: outputText })
      const map = JSON.parse(sourceMapText ?? '{}')
      if (sourceMap)
        own.write({ [`dist/${base}.js.map`]: { ...map, sources: [`../src/${base}.ts`] } })
    }
    return own
  }

  it.each([
    ['standard decorators', false],
    ['experimentalDecorators', true],
  ])(
    'is explained with the line numbers of the sources if it has source maps: %s',
    async (_, isLegacy) => {
      const { stdout } = await explain(compiled(true, isLegacy), 'GET', '/orders/3', '--json')
      const { decorators } = JSON.parse(stdout) as typeof ORDERS_ROUTE
      expect(decorators).toEqual(ORDERS_ROUTE.decorators)
    },
  )

  it('is explained with its own line numbers if it has no source maps', async () => {
    const own = compiled(false, false)
    const lines = own.read('dist/orders-controller.js').split('\n')
    const found = await decoratorsOf(own, 'GET', '/orders/3')
    const lineOf = (decorator: string) => {
      const place = found.find((each) => each.startsWith(`${decorator} `))?.split(' ')[1] ?? ''
      const [file, line] = place.split(':')
      expect(file).toBe('dist/orders-controller.js')
      return lines[Number(line) - 1]
    }
    expect(lineOf('@Cache')).toContain("Cache({ ttl: '5m'")
    expect(lineOf('@Tenant')).toContain('Tenant()')
    expect(lineOf('@Header')).toContain("Header('X-Kind'")
  })
})

describe('the explanation as text', () => {
  let own: Project
  beforeAll(() => {
    own = useFastTsx(project({ ...SOURCES, 'tsconfig.json': STANDARD }))
  })

  it('has a line for each step, and lists under it the options that the step uses', async () => {
    const { status, stdout } = await explain(own, 'get', 'orders/{id}')
    expect(status).toBe(0)
    expect(stdout).toMatch(/^GET {2}\/orders\/:id {2}OrdersController.getById {2}protected\n\n/)
    const [, before, steps, decorators] = stdout.split('\n\n')
    expect(before).toContain('Before the route\n  requestLog  middlewares[0][0]\n')
    expect(steps).toContain(
      '  guard             calls the guard of `auth`; any result other than `true`',
    )
    expect(steps).toContain('                    - params (zod)\n')
    expect(steps).toContain('                    - Orders: 5 requests in 60 s by ip\n')
    expect(steps).toContain('  enter             possibly: runs the `enter` steps of plugins')
    expect(steps).not.toMatch(/^ {2}(body|underTest|use) /m)
    expect(decorators).toMatch(/src\/orders-controller\.ts:\d+ {2}@Auth +ReadController\.getById\n/)
  })

  it('lists the routes of a path with several routes, and fails for an unknown path', async () => {
    const several = await explain(own, '/orders/3')
    expect(several).toMatchObject({ status: 2, stdout: '' })
    expect(several.stderr).toMatch(
      /^\/orders\/3 does not match exactly one route\.\n(?=[\s\S]*GET )(?=[\s\S]*DELETE )[\s\S]*`blazon routes` lists all/m,
    )
    const unknown = await explain(own, 'GET', '/ordrs/all')
    expect(unknown).toMatchObject({ status: 2, stdout: '' })
    expect(unknown.stderr).toContain('No route matches GET /ordrs/all.')
  })

  it('covers the version that --api-version selects', async () => {
    own.write({
      'versions.ts': `import { App, Controller, Get, Version } from 'blazon'
@Controller('orders')
class OrdersController {
  @Version('1') @Get() list() {}
  @Version('2') @Get() listAmounts() {}
  @Get('all') all() {}
}
const versions = { by: { header: 'X-API-Version' }, default: '1' } as const
export const app = new App({ controllers: [OrdersController], versions })
`,
    })
    const entry = ['--entry', 'versions.ts']
    const both = await explain(own, 'GET', '/orders', ...entry)
    expect(both.stderr).toMatch(/GET {2}\/orders \(version 1\) {2}.*\n.*\(version 2\)/)
    expect(both.stderr).toContain('add --api-version')
    const second = await explain(own, 'GET', '/orders', '--api-version', '2', ...entry)
    expect(second.stdout).toMatch(/^GET {2}\/orders \(version 2\) {2}OrdersController.listAmounts/)
    const listed = await own.run(['routes', '--api-version', '2', ...entry])
    expect(listed.stderr).toBe('2 routes of 3\n')
    expect(listed.stdout).toMatch(/^GET {2}\/orders \(version 2\).*\nGET {2}\/orders\/all .*\n$/)
  })
})
