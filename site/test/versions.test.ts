import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { keepVersion } from '../add-version.mjs'
import { buildSite } from '../build.mjs'
import { addressesIn, deadLinks, pagesOf, root } from './built-site.js'

// Inside the package of the site, where VitePress finds Vue.
const folder = join(root, 'site/.cache/versions-test')
const pages = join(folder, 'pages')
const versions = join(folder, 'versions')
const out = join(folder, 'out')

/** Pages as `stage` writes them, but fewer. */
function writePages(version: string, text: string): void {
  mkdirSync(pages, { recursive: true })
  const contents = [
    { text: 'Begin', items: [['tour', 'Tour']] },
    { text: 'Reference', items: [] },
  ]
  writeFileSync(join(pages, 'contents.json'), JSON.stringify({ version, doors: [], contents }))
  writeFileSync(join(pages, 'index.md'), `# Blazon\n\n${text}\n`)
  writeFileSync(join(pages, 'tour.md'), `# Tour\n\n${text} [Home](./index.md)\n`)
}

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true })
  writePages('0.1.0', 'This is the first version.')
  keepVersion(pages, versions)
  writePages('0.2.0', 'This is the second version.')
  buildSite({ base: '/docs/', out, pages, versions })
})
afterAll(() => rmSync(folder, { recursive: true }))

it('an earlier version keeps its pages in a folder with the name of the version', () => {
  const built = pagesOf(out)
  expect(built.get('tour.html')).toContain('This is the second version.')
  expect(built.get('0.1.0/tour.html')).toContain('This is the first version.')
  expect(readFileSync(join(out, 'llms.txt'), 'utf8')).toContain('# Blazon 0.2.0')
  expect(readFileSync(join(out, '0.1.0/llms.txt'), 'utf8')).toContain('# Blazon 0.1.0')
})

it('the menu of each version contains links to all versions', () => {
  const built = pagesOf(out)
  for (const page of ['index.html', 'tour.html', '0.1.0/index.html', '0.1.0/tour.html']) {
    const menu = /<details class="version-menu".*?<\/details>/s.exec(built.get(page) as string)?.[0]
    expect(addressesIn(menu as string)).toEqual(['/docs/', '/docs/0.1.0/'])
  }
})

it('no version has broken links, except to pages that this test does not write', () => {
  const dead = deadLinks(out, '/docs/')
  const known = /\/(tutorial\/1-routes|configuration)\.html$|\/api\/$/
  expect(dead.filter((link) => !known.test(link))).toEqual([])
})

it('a version that is already stored cannot be stored again', () => {
  writePages('0.1.0', 'Another text.')
  expect(() => keepVersion(pages, versions)).toThrow(
    'Remove it first, to keep version 0.1.0 again.',
  )
})
