// npm run docs:api [-- --check]: the API reference, written from the docstrings of the doors of the package.
//
// It fails where an exported symbol or a member of one has no summary, where an `@param` names no parameter, and where
// a link leads nowhere. `--check` writes the pages to a temporary folder, which it removes. `--markdown <folder>` writes
// pages in Markdown, of which the documentation site is made.
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

/** How the pages of the documentation site are written: one for each name, in folders of the doors. */
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

/** Types that signatures of the doors mention and that users do not have to name. */
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

/** The source of each door: the manifest names the compiled files. */
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

/** Links of the written pages whose file does not exist. */
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
