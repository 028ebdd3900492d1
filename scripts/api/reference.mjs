// npm run docs:api [-- --check]: generates the API reference from the docstrings of the package's doors.
//
// It fails if an exported symbol or one of its members has no summary, if an `@param` does not match a parameter, or if
// a link has no target. `--check` writes the pages to a temporary folder, which it removes. `--markdown <folder>`
// writes Markdown pages, from which the documentation site is built.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Application, TSConfigReader } from 'typedoc'

const root = fileURLToPath(new URL('../..', import.meta.url))
const isCheck = process.argv.includes('--check')
const isMarkdown = process.argv.includes('--markdown')
const out = folderOfPages()

function folderOfPages() {
  if (isCheck) return mkdtempSync(join(tmpdir(), 'blazon-api-'))
  return isMarkdown
    ? process.argv[process.argv.indexOf('--markdown') + 1]
    : join(root, '.artifacts/api')
}

/** The settings for the pages of the documentation site: one page for each name, in a folder for each door. */
const MARKDOWN = {
  plugin: ['typedoc-plugin-markdown'],
  outputs: [{ name: 'markdown', path: out }],
  router: 'member',
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  expandObjects: false,
  parametersFormat: 'table',
  propertiesFormat: 'list',
  sanitizeComments: true,
  pageTitleTemplates: {
    index: 'API reference',
    module: ({ name }) => name,
    member: ({ name }) => name,
  },
}

/** The types that appear in the doors' signatures but that users do not have to name. */
const NOT_EXPORTED = [
  'AnyClass',
  'AnyDecorator',
  'AnyGuard',
  'AnyJwtOptions',
  'AnyMethod',
  'CacheParts',
  'ClassOf',
  'ClaimsOf',
  'Clock',
  'DatabaseLink',
  'TestJobs',
  'Composed',
  'DatabaseParts',
  'DeclaredUser',
  'DocumentedOperation',
  'FieldContext',
  'FieldVerb',
  'Maybe',
  'FromClaims',
  'InferJsonSchema',
  'InjectDecorator',
  'InputDecorator',
  'IsolationFindings',
  'KeyDecorator',
  'Listener',
  'Lowered',
  'MethodContext',
  'NameOf',
  'Named',
  'NamedMetric',
  'OfRequest',
  'Owner',
  'RedisNode',
  'Req',
  'RouteLayer',
  'RouterHandler',
  'SchemaResult',
  'SchemaTypes',
  'StreamDecorator',
  'TimeSource',
  'TokenLike',
  'TokenOptions',
  'TypedGuard',
  'UnknownOptions',
  'UserDecorator',
  'ValueDecorator',
  'VerbDecorator',
  'WithCan',
  'WithId',
  'WithUserFields',
  'Word',
  'ZodSchema',
]

/** Returns the source of each door. The manifest contains the compiled files. */
function doors() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const compiled = JSON.stringify(exports).matchAll(/"\.\/dist\/([\w/-]*index)\.js"/g)
  return [...new Set([...compiled].map(([, name]) => join(root, 'src', `${name}.ts`)))]
}

const app = await Application.bootstrapWithPlugins(
  {
    name: 'Blazon',
    entryPoints: doors(),
    tsconfig: join(root, 'tsconfig.json'),
    basePath: join(root, 'src'),
    readme: 'none',
    disableSources: true,
    excludeExternals: true,
    excludeInternal: true,
    excludePrivate: true,
    intentionallyNotExported: NOT_EXPORTED,
    requiredToBeDocumented: [
      'Accessor',
      'Class',
      'Constructor',
      'Function',
      'Interface',
      'Method',
      'Property',
      'TypeAlias',
      'Variable',
    ],
    validation: { notExported: true, invalidLink: true, invalidPath: true, notDocumented: true },
    ...(isMarkdown && MARKDOWN),
  },
  [new TSConfigReader()],
)

/** Returns the links in the written pages whose target file does not exist. */
function brokenLinks() {
  const pages = readdirSync(out, { recursive: true }).filter((name) => name.endsWith('.html'))
  return pages.flatMap((page) => {
    const html = readFileSync(join(out, page), 'utf8')
    const links = [...html.matchAll(/(?:href|src)="([^"#]+)[^"]*"/g)].map(([, link]) => link)
    return links
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => !existsSync(join(out, dirname(page), link)))
      .map((link) => `${page} links to ${link}, which does not exist`)
  })
}

async function write() {
  const project = await app.convert()
  if (project === undefined) return false
  app.validate(project)
  if (isMarkdown) await app.generateOutputs(project)
  else await app.generateDocs(project, out)
  for (const problem of brokenLinks()) app.logger.error(problem)
  return !app.logger.hasErrors() && !app.logger.hasWarnings()
}

const isWhole = await write().finally(() => isCheck && rmSync(out, { recursive: true }))
if (!isWhole) process.exitCode = 1
else if (!isCheck && !isMarkdown)
  console.log(`Open ${join(relative(process.cwd(), out), 'index.html')}`)
