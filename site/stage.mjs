// Collects the pages of the site in a folder, as Markdown that needs nothing outside of the folder: the pages of docs/, the
// home page, the API reference, some pages of the repository, and the files of the repository to which pages link.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONTENTS, PROJECT_PAGES } from './contents.mjs'
import { homePage } from './home.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))

const PLACES = new Map(Object.entries(PROJECT_PAGES).map(([place, path]) => [path, `${place}.md`]))
const IMAGE = /\.(png|svg)$/
/** Code of the repository, and pages about it, are not what a search on this site is for. */
const UNSEARCHED = '---\nsearch: false\n---\n\n'
/** The language of a file's code on its page. */
const LANGUAGES = { '.ts': 'ts', '.mjs': 'js', '.json': 'json', '.yml': 'yaml', '.sql': 'sql' }

/**
 * Writes the pages.
 *
 * @param folder Its content is replaced.
 * @param api The folder of the API reference; without it, the site has none.
 */
export function stage(folder, api) {
  written.clear()
  const pages = ['docs', 'docs/tutorial'].flatMap((name) =>
    readdirSync(join(root, name))
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${name}/${file}`),
  )
  const home = withOwnLinks('README.md', homePage(read('README.md')))
  write(folder, 'index.md', home.text)
  const open = [...new Set([...pages, ...PLACES.keys(), ...home.targets])]
  const done = new Set(open)
  for (const path of open) {
    // The pages that this page links to are staged, too.
    for (const target of stagePage(folder, path)) {
      if (!done.has(target)) open.push(target)
      done.add(target)
    }
  }
  if (api !== undefined) stageReference(folder, api)
  const { version } = JSON.parse(read('package.json'))
  const doors = api === undefined ? [] : doorsOf(api)
  write(folder, 'contents.json', JSON.stringify({ version, doors, contents: CONTENTS }, null, 2))
  removeOthers(folder)
}

/** Writes a page for a file or folder of the repository. Returns the paths that the page links to. */
function stagePage(folder, path) {
  const place = placeOf(path)
  if (IMAGE.test(path)) {
    write(folder, place, readFileSync(join(root, path)))
    return []
  }
  if (!path.endsWith('.md')) {
    write(folder, place, UNSEARCHED + sourcePage(path))
    return []
  }
  const { text, targets } = withOwnLinks(path, read(path))
  write(folder, place, place.startsWith('repository/') ? UNSEARCHED + text : text)
  return targets
}

/** Where a file of the repository is on the site. */
export function placeOf(path) {
  if (path.startsWith('docs/') && existsSync(join(root, path)) && /\.(md|png|svg)$/.test(path))
    return path.slice('docs/'.length)
  const place = PLACES.get(path)
  if (place !== undefined) return place
  if (path === 'README.md') return 'index.md'
  if (IMAGE.test(path) || path.endsWith('.md')) return `repository/${path}`
  return `repository/${path}.md`
}

/** The text of a page, with links to the places of the site, and the paths that the page links to. */
function withOwnLinks(path, text) {
  const targets = []
  const adapt = (link) => {
    const [target, anchor] = link.split('#')
    if (target === '' || /^[a-z]+:/.test(target)) return link
    const file = posix.normalize(posix.join(posix.dirname(path), target)).replace(/\/$/, '')
    if (file !== 'README.md') targets.push(file)
    const to = posix.relative(posix.dirname(placeOf(path)), placeOf(file))
    // The other headings of the README are not on the home page.
    const hash =
      anchor === undefined || (file === 'README.md' && anchor !== 'install') ? '' : `#${anchor}`
    return `${to.startsWith('.') ? to : `./${to}`}${hash}`
  }
  const parts = text.split(/^(```.*?^```$)/gms)
  const adapted = parts.map((part, index) =>
    index % 2 === 1 ? part : part.replace(/\]\(([^)\s]+)\)/g, (_, link) => `](${adapt(link)})`),
  )
  // Instructions for tests, which no reader sees.
  return { text: adapted.join('').replace(/^<!-- .*?-->\n/gms, ''), targets }
}

/** A page with a file of code, or with the files of a folder. */
function sourcePage(path) {
  const place = join(root, path)
  if (!existsSync(place)) throw new Error(`A page links to ${path}, which does not exist.`)
  if (statSync(place).isFile())
    return `# ${posix.basename(path)}\n\n\`${path}\` of the repository.\n\n${codeOf(path)}`
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) =>
        extname(name) in LANGUAGES && !/(^|\/)(\.data|node_modules|openapi\.json)/.test(name),
    )
    .sort()
  const parts = files.map((name) => `## ${name}\n\n${codeOf(`${path}/${name}`)}`)
  return `# ${path}\n\nThe files of the folder \`${path}\` of the repository.\n\n${parts.join('\n')}`
}

function codeOf(path) {
  return `\`\`\`\`${LANGUAGES[extname(path)] ?? 'text'}\n${read(path).trimEnd()}\n\`\`\`\`\n`
}

/** The API reference. Each page of a name shows the import of the name. */
function stageReference(folder, api) {
  for (const name of readdirSync(api, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md')) continue
    const text = readFileSync(join(api, name), 'utf8')
    write(folder, `api/${name}`, withImport(name.replaceAll('\\', '/'), text))
  }
}

/** The names of the doors, as the overview of the reference lists them. */
function doorsOf(api) {
  const overview = readFileSync(join(api, 'index.md'), 'utf8')
  return [...overview.matchAll(/^- \[(.+)\]\(/gm)].map(([, door]) => door)
}

const TYPES = /\/(interfaces|type-aliases)\//

function withImport(path, text) {
  const [, door, name] = /^(.+)\/[a-z-]+\/([^/]+)\.md$/.exec(path) ?? []
  if (door === undefined || name === 'index') return text
  const line = `import ${TYPES.test(path) ? 'type ' : ''}{ ${name} } from '${door}'`
  return text.replace(/^# .*\n/, (title) => `${title}\n\`\`\`ts\n${line}\n\`\`\`\n`)
}

function read(path) {
  return readFileSync(join(root, path), 'utf8')
}

/** The files of this run. */
const written = new Set()

/** A file that has this content already is left alone, so that a server notices only changes. */
function write(folder, path, content) {
  const place = join(folder, path)
  written.add(place)
  if (existsSync(place) && readFileSync(place).equals(Buffer.from(content))) return
  mkdirSync(dirname(place), { recursive: true })
  writeFileSync(place, content)
}

/** Removes the pages of an earlier run that are not written any more. */
function removeOthers(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const place = join(folder, name)
    if (!written.has(place) && statSync(place).isFile()) rmSync(place)
  }
}
