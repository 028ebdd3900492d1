// Generates the tables in docs/configuration.md from the docstrings of the options. `--check` only compares them.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript-5'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const PAGE = join(root, 'docs/configuration.md')
const ENTRY = join(root, 'src/app/settings/app-options.ts')

/** An option as its docstring describes it. */
export interface DescribedOption {
  readonly name: string
  /** The description, in sentences. */
  readonly text: string
  readonly defaultValue: string
  /** The page, or the section of a page, with more information: `docs/auth.md`. */
  readonly see: string | undefined
}

/** The options, by the name of their group. The application's own options are under `''`. */
type Groups = Readonly<Record<string, readonly DescribedOption[]>>

/**
 * Reads all options from the source. An option is a group if its type is an interface in a file whose name ends with
 * `options.ts`.
 */
export function readOptions(): Groups {
  const app = parse(ENTRY)
  const groups: Record<string, readonly DescribedOption[]> = { '': optionsOf(app, 'AppOptions') }
  const imports = importsOf(app)
  for (const member of membersOf(app, 'AppOptions')) {
    const type = namesIn(member).find((name) => /options\.js$/.test(imports.get(name) ?? ''))
    if (type === undefined) continue
    const file = join(dirname(ENTRY), (imports.get(type) as string).replace(/\.js$/, '.ts'))
    groups[nameOf(member)] = optionsOf(parse(file), type)
  }
  return groups
}

/** Returns the page with up-to-date tables of the options. */
export function withTables(page: string): string {
  const groups = readOptions()
  return Object.entries(groups).reduce((text, [group, options]) => {
    const rows = options.map((option) => rowOf(option, group, groups))
    const table = ['| Option | Value | Default |', '| --- | --- | --- |', ...rows, ''].join('\n')
    return replaceTable(text, group, table)
  }, page)
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext, true)
}

/** Returns the module from which each name is imported. */
function importsOf(tree: ts.SourceFile): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const node of tree.statements.filter(ts.isImportDeclaration)) {
    const bindings = node.importClause?.namedBindings
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue
    const { text } = node.moduleSpecifier as ts.StringLiteral
    for (const { name } of bindings.elements) found.set(name.text, text)
  }
  return found
}

/** Returns the fields of an interface, after the fields of the interfaces in the same file that it extends. */
function membersOf(tree: ts.SourceFile, name: string): ts.TypeElement[] {
  const found = tree.statements
    .filter(ts.isInterfaceDeclaration)
    .find((each) => each.name.text === name)
  if (found === undefined) return []
  const bases = (found.heritageClauses ?? []).flatMap(({ types }) => types)
  const inherited = bases.flatMap(({ expression }) => membersOf(tree, expression.getText(tree)))
  return [...inherited, ...found.members]
}

function nameOf(member: ts.TypeElement): string {
  return (member.name as ts.Identifier).text
}

function namesIn(node: ts.Node): string[] {
  const names = ts.isIdentifier(node) ? [node.text] : []
  ts.forEachChild(node, (child) => void names.push(...namesIn(child)))
  return names
}

function optionsOf(tree: ts.SourceFile, type: string): DescribedOption[] {
  return membersOf(tree, type).map((member) => {
    const name = nameOf(member)
    const { text, tags } = docstringOf(member, tree.text)
    const defaultValue = tags.get('defaultValue')
    if (text === '' || defaultValue === undefined) {
      throw new Error(`${type}.${name} needs a docstring with @defaultValue.`)
    }
    return { name, text, defaultValue, see: tags.get('see') }
  })
}

/** Returns the sentences before the tags of a docstring, and each tag, without line breaks. */
function docstringOf(member: ts.TypeElement, source: string) {
  const comment = (ts.getLeadingCommentRanges(source, member.pos) ?? []).at(-1)
  const lines = comment === undefined ? [] : source.slice(comment.pos, comment.end).split('\n')
  const plain = lines.map((line) => line.replace(/^\s*\/?\*+\/?\s?|\s*\*\/$/g, '')).join('\n')
  const [text = '', ...blocks] = plain.split(/^@/m).map((part) => part.trim().replace(/\s+/g, ' '))
  const tags = new Map(
    blocks.map((block) => [block.replace(/ .*/, ''), block.replace(/^\S+ /, '')]),
  )
  return { text, tags }
}

function rowOf(option: DescribedOption, group: string, groups: Groups): string {
  const { name, text, defaultValue, see } = option
  const links = [
    ...(group === '' && name in groups ? [`[below](#${slugOf(name)})`] : []),
    ...(see === undefined ? [] : [linkTo(see)]),
  ]
  const value = links.length === 0 ? text : `${text} See ${links.join(' and ')}.`
  const cells = [`\`${group === '' ? name : `${group}.${name}`}\``, value, defaultValue]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

/** Returns a link to a page in docs/, with the title of the page or section as its text. */
function linkTo(see: string): string {
  const [path = '', anchor] = see.split('#')
  const headings = readFileSync(join(root, path), 'utf8').match(/^#+ .*$/gm) ?? []
  const titles = headings.map((heading) => heading.replace(/^#+ /, ''))
  const title = anchor === undefined ? titles[0] : titles.find((each) => slugOf(each) === anchor)
  if (title === undefined) throw new Error(`@see ${see}: there is no such section.`)
  return `[${title}](${see.replace(/^docs\//, '')})`
}

function slugOf(title: string): string {
  const text = title.toLowerCase().replace(/[^\w\s-]/g, '')
  return text.replaceAll(' ', '-')
}

/**
 * Replaces the first table after the heading of a group. The table of the application is the first table on the page.
 */
function replaceTable(page: string, group: string, table: string): string {
  const heading = group === '' ? '# ' : `## \`${group}\`\n`
  const start = page.indexOf(heading)
  const end = page.indexOf('\n## ', start + 1)
  const section = page.slice(start, end)
  const old = /(?:^\|.*\n)+/m
  if (start < 0 || !old.test(section)) {
    throw new Error(`docs/configuration.md has no table under '${heading.trim()}'.`)
  }
  return page.slice(0, start) + section.replace(old, () => table) + page.slice(end)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = readFileSync(PAGE, 'utf8')
  const fresh = withTables(page)
  if (fresh !== page && process.argv.includes('--check')) {
    console.error('docs/configuration.md is stale: run `npm run documents`.')
    process.exit(1)
  }
  if (fresh !== page) writeFileSync(PAGE, fresh)
}
