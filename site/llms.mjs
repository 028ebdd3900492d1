// Writes what programs read: each page as Markdown beside its HTML, a list of them, and all of them in one file.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Writes `llms.txt`, `llms-full.txt` and the Markdown of the pages of the navigation.
 *
 * @param pages The folder of the pages.
 * @param out The folder of the built site.
 */
export function writeTexts(pages, out) {
  const { contents, version } = JSON.parse(readFileSync(join(pages, 'contents.json'), 'utf8'))
  const groups = contents.map(({ text, items }) => ({
    text,
    pages: items.map(([path, label]) => pageAt(pages, path, label)),
  }))
  const all = groups.flatMap((group) => group.pages)
  for (const { path, text } of all) write(join(out, `${path}.md`), text)
  const head = `# Blazon ${version}\n\n> ${firstParagraph(readFileSync(join(pages, 'index.md'), 'utf8'))}\n`
  const lists = groups.map(({ text, pages: list }) => {
    const lines = list.map(({ path, label, summary }) => `- [${label}](${path}.md): ${summary}`)
    return `## ${text}\n\n${lines.join('\n')}\n`
  })
  write(join(out, 'llms.txt'), [head, ...lists].join('\n'))
  write(
    join(out, 'llms-full.txt'),
    [head, ...all.map(({ path, text }) => `<!-- ${path}.md -->\n\n${text}`)].join('\n'),
  )
}

function pageAt(pages, path, label) {
  const text = readFileSync(join(pages, `${path}.md`), 'utf8')
  return { path, label, text, summary: firstSentence(text) }
}

/** The first sentence of a page, in one line, without links. */
function firstSentence(text) {
  const plain = firstParagraph(text).replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return /^.*?[.:](?= |$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}

/** The first paragraph behind the title, in one line. */
function firstParagraph(text) {
  const paragraphs = text.slice(text.search(/^# /m)).split(/\n{2,}/)
  const first = paragraphs.find((part) => /^[A-Z`[]/.test(part)) ?? paragraphs[0]
  return first.replace(/\s+/g, ' ').trim()
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
