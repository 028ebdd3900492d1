import { addImport } from './add-import.js'
import { appendItem, type CodeList, type Item, insertAll, readList } from './code-list.js'
import { describedObjects, isReplaced, type ObjectLiteral } from './described-objects.js'
import type { CodeKind } from './part-kinds.js'
import { folderOf, type Project, type ProjectFile, specifierOf } from './project-files.js'
import { codeStyle } from './project-style.js'

/** What an application or a module has to name. */
export interface Part {
  readonly kind: CodeKind
  /** The class or constant: `OrdersController`. */
  readonly name: string
  /** The path of its file. */
  readonly path: string
}

/** A changed file; or the place that names the part already; or the line to add, and why the command does not. */
export type Wiring =
  | { readonly is: 'changed'; readonly file: ProjectFile; readonly text: string }
  | { readonly is: 'named'; readonly path: string }
  | { readonly is: 'advice'; readonly line: string; readonly reason: string }

const KEYS = {
  controller: 'controllers',
  module: 'modules',
  plugin: 'plugins',
  guard: 'auth',
} as const

/** Names a part in the application, or in the module of its folder, if there is no doubt about the place. */
export function wirePart(part: Part, project: Project): Wiring {
  const word = new RegExp(`(?<![\\w$])${part.name}(?![\\w$])`)
  const others = project.sources.filter(({ path }) => path !== part.path)
  const naming = others.find(({ mask }) => word.test(mask))
  if (naming !== undefined) return { is: 'named', path: naming.path }
  const key = KEYS[part.kind]
  const line = `${key}: ${part.kind === 'guard' ? `{ guard: ${part.name} }` : `[${part.name}]`}`
  const place = findPlace(part, others)
  const reason = typeof place === 'string' ? place : doubtAbout(place, part.kind)
  if (typeof place === 'string' || reason !== undefined) {
    return { is: 'advice', line, reason: reason ?? '' }
  }
  const { extension } = codeStyle(project.sources)
  const text = withPart(place, { part, line, extension })
  if (text !== undefined) return { is: 'changed', file: place.file, text }
  return { is: 'advice', line, reason: `There is no place for the import in ${place.file.path}.` }
}

/** The one object that lists parts of this kind, or the reason why there is none. */
function findPlace({ kind, path }: Part, files: readonly ProjectFile[]): ObjectLiteral | string {
  if (kind === 'controller') {
    const modules = describedObjects(files, 'module')
    const near = modules.filter(({ file }) => folderOf(file.path) === folderOf(path))
    if (near[0] !== undefined) return near.length === 1 ? near[0] : severalIn(near)
  }
  const key = KEYS[kind]
  const apps = describedObjects(files, 'app')
  const places = apps.filter(({ values, isExtension }) => values.has(key) || !isExtension)
  if (places.length > 1) return severalIn(places)
  const [place] = places
  if (place === undefined) {
    return 'No file has the options of the application as an object: new App({ … }).'
  }
  if (!isReplaced(place, key, files)) return place
  return `Other code sets \`${key}\` in a copy of the options in ${place.file.path}.`
}

function severalIn(places: readonly ObjectLiteral[]): string {
  const paths = [...new Set(places.map(({ file }) => file.path))]
  return `It may be one of several places in ${paths.join(', ')}.`
}

/** Why the value of the property is not a list to which an item can be added. */
function doubtAbout({ file, values }: ObjectLiteral, kind: CodeKind): string | undefined {
  const value = values.get(KEYS[kind])
  if (value === undefined) return undefined
  if (kind === 'guard') return `${file.path} has a guard already, or other options in \`auth\`.`
  const list = inlineList(file.mask, value)
  const rest = list && file.mask.slice(list.close + 1, value.end)
  return rest !== undefined && /^(?:\s*as\s+const)?$/.test(rest)
    ? undefined
    : `\`${KEYS[kind]}\` in ${file.path} is not written as a list there.`
}

interface Addition {
  readonly part: Part
  readonly line: string
  readonly extension: string
}

/** The text of the file with the part and its import; `undefined` if there is no place for the import. */
function withPart(
  { file, list, values }: ObjectLiteral,
  { part: { kind, name, path }, line, extension }: Addition,
): string | undefined {
  const specifier = specifierOf(file.path, path, extension)
  const imported = addImport(file, { name, specifier }, codeStyle([file]))
  if (imported === undefined) return undefined
  const value = values.get(KEYS[kind])
  const inner = value && inlineList(file.mask, value)
  const added = inner === undefined ? appendItem(file, list, line) : appendItem(file, inner, name)
  return insertAll(file.text, [imported, ...added])
}

/** The list that a value begins with: `[…]`, or the arguments of `defineControllers`. */
function inlineList(mask: string, { start, end }: Item): CodeList | undefined {
  const opening = /^(?:\[|defineControllers\s*\()/.exec(mask.slice(start, end))?.[0]
  return opening === undefined ? undefined : readList(mask, start + opening.length - 1)
}
