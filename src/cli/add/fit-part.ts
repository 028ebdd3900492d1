import type { CodeStyle } from './project-style.js'
import type { TestSetup } from './test-setup.js'

/** What the routes of a project have. */
export interface Access {
  /** Whether the application has a guard. */
  readonly auth: boolean
  /** Whether the application has tenants. */
  readonly tenant: boolean
}

/** The text of a controller in which each route has a user and a tenant, before it is adapted to a project. */
export function withAccess(text: string, { auth, tenant }: Access): string {
  const decorators = [auth ? '@Auth()\n' : '', tenant ? '@Tenant()\n' : ''].join('')
  return text
    .replace('import { Controller', `import { ${auth ? 'Auth, ' : ''}Controller`)
    .replace(" } from 'blazon'", `${tenant ? ', Tenant' : ''} } from 'blazon'`)
    .replace('@Controller(', `${decorators}@Controller(`)
}

/** The text of a test that calls such a controller, before it is adapted. */
export function withCaller(text: string, { auth, tenant }: Access): string {
  if (!auth && !tenant) return text
  const user = tenant ? "{ id: 'test', tenants: ['acme'] }" : "{ id: 'test' }"
  const caller = `app${auth ? `.as(${user})` : ''}${tenant ? ".asTenant('acme')" : ''}`
  const called = text
    .replace('import { TestApp } from', 'import { TestApp, type TestCaller } from')
    .replace('  let app: TestApp;\n', '  let app: TestApp;\n  let caller: TestCaller;\n')
    .replace(
      /^ {4}\}\);\n(?= {2}\}\);\n\n {2}afterEach)/m,
      (end) => `${end}    caller = ${caller};\n`,
    )
    .replaceAll('await app.request()', 'await caller.request()')
  const refused = `\n  it('needs a user', async () => {\n    await app.request().get('/sample-name/7').expect(401);\n  });\n`
  return auth ? called.replace(/\n\}\);\n$/, `\n${refused}});\n`) : called
}

/** How a test makes the application. */
export interface Made {
  readonly setup: TestSetup
  readonly style: CodeStyle
  /** Whether the options of the application list the part. Then the test does not list it. */
  readonly isListed: boolean
}

/** The text of an adapted test whose application is made as in another test of the project. */
export function withSetup(text: string, { setup, style, isListed }: Made): string {
  const { quote, hasSemicolons, indent, lineEnd } = style
  const end = hasSemicolons ? ';' : ''
  const own = /^import \{ (\w+) \} from ['"](\.[^'"]*)['"].*$/m.exec(text)
  if (own === null) return text
  const [line, name = '', path = ''] = own
  const names = new Map(Object.entries(setup.imports))
  if (!isListed) names.set(name, path)
  const imports = [...new Set(names.values())].sort().map((from) => {
    const all = [...names].filter(([, each]) => each === from).map(([each]) => each)
    return `import { ${all.sort().join(', ')} } from ${quote}${from}${quote}${end}`
  })
  const constants = setup.constants.length === 0 ? [] : ['', ...setup.constants]
  const list = /^([ \t]*)((?:controllers|modules): \[\w+\],)\r?\n[ \t]*contract: .*$/m.exec(text)
  const [whole = '', margin = indent.repeat(3), part = ''] = list ?? []
  const checks = setup.properties.some((each) => /^contract\b/.test(each))
  const properties = [
    ...setup.properties.map((each) => `${each},`),
    ...(checks ? [] : [`contract: ${quote}throw${quote},`]),
    ...(isListed ? [] : [part]),
  ]
  return text
    .replace(line, () => [...imports, ...constants].join(lineEnd))
    .replace(whole, () => properties.map((each) => indented(each, margin)).join(lineEnd))
}

function indented(text: string, margin: string): string {
  return text.replace(/^(?=.)/gm, margin)
}

/** What the command says about the access to a new controller; empty where nothing restricts it. */
export function describeAccess(name: string, { auth, tenant }: Access, isWritten: boolean): string {
  const both = (one: string, other: string) =>
    [auth ? one : '', tenant ? other : ''].filter((each) => each !== '').join(' and ')
  const decorators = both('@Auth()', '@Tenant()')
  if (decorators === '') return ''
  if (isWritten) {
    return `\n${name} has ${decorators}: its routes need ${both('a user', 'a tenant')}. Remove what they do not need.\n`
  }
  return `\n${name} ${auth ? 'is public' : 'knows no tenant'}: add ${decorators} before its class, and to its test the options of the application.\n`
}
