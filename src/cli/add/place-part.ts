import { describedObjects } from './described-objects.js'
import type { CodeKind } from './part-kinds.js'
import type { PartName } from './part-name.js'
import { folderOf, inFolder, type Project, type ProjectFile } from './project-files.js'

/** What the file of each kind contains. */
const MARKS: Readonly<Record<CodeKind, RegExp>> = {
  controller: /@Controller\s*\(/,
  module: /:\s*Module\s*=\s*\{/,
  plugin: /:\s*Plugin\b/,
  guard: /\bimplements\s+AuthGuard\b/,
}

/** The folder of a new part: that of the others of its kind, else that of the application. */
export function folderFor(kind: CodeKind, { kebab }: PartName, project: Project): string {
  const { sources } = project
  const isOfModule = (folder: string) =>
    describedObjects(sources, 'module').some(({ file }) => folderOf(file.path) === folder)
  const siblings = sources.filter(
    ({ path, mask }) =>
      MARKS[kind].test(mask) && (kind === 'module' || !isOfModule(folderOf(path))),
  )
  const [folder, ...others] = new Set(siblings.map(({ path }) => folderOf(path)))
  const parents = new Set(siblings.map(({ path }) => folderOf(folderOf(path))))
  if (siblings.length > 0 && parents.size === 1 && siblings.every(isInOwnFolder)) {
    return inFolder([...parents][0] ?? '', kebab)
  }
  if (kind === 'module') return inFolder(base(project), kebab)
  return folder !== undefined && others.length === 0 ? folder : base(project)
}

/** `orders/orders-controller.ts` */
function isInOwnFolder({ path }: ProjectFile): boolean {
  const [name = '', folder] = path.toLowerCase().split('/').reverse()
  return folder !== undefined && name.startsWith(folder)
}

function base({ sources }: Project): string {
  const [app] = describedObjects(sources, 'app')
  if (app !== undefined) return folderOf(app.file.path)
  return sources.some(({ path }) => path.startsWith('src/')) ? 'src' : ''
}
