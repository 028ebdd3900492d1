import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CONTENTS } from '../contents.mjs'
import { addressesIn, deadLinks, pagesOf, root, site } from './built-site.js'

const pages = pagesOf(site)
const listed = CONTENTS.flatMap(({ items }) => items.map(([path]) => path as string))

describe('the navigation', () => {
  it('contains every page of docs/ exactly once', () => {
    const inDocs = ['', 'tutorial/'].flatMap((folder) =>
      readdirSync(join(root, 'docs', folder))
        .filter((name) => name.endsWith('.md'))
        .map((name) => folder + name.slice(0, -'.md'.length)),
    )
    expect(inDocs.length).toBeGreaterThan(40)
    expect(inDocs.filter((path) => !listed.includes(path))).toEqual([])
    expect(new Set(listed).size).toBe(listed.length)
  })

  it('is shown on a page of docs/', () => {
    const html = pages.get('validation.html')
    const links = addressesIn(html as string)
    const missing = listed.filter(
      (path) =>
        !links.includes(`/${path.replace(/index$/, '')}${path.endsWith('index') ? '' : '.html'}`),
    )
    expect(missing).toEqual([])
  })
})

describe('the site', () => {
  it('has no broken link, anchor, image, script or style', () => {
    expect(pages.size).toBeGreaterThan(500)
    expect(deadLinks(site)).toEqual([])
  })

  it('loads nothing from other hosts', () => {
    const foreign = [...pages].flatMap(([page, html]) =>
      [
        ...html.matchAll(
          /<(?:script|link|img|iframe|source)\s[^>]*?(?:src|href)="((?:https?:)?\/\/[^"]*)"/g,
        ),
      ].map(([, address]) => `${page}: ${address}`),
    )
    expect(foreign).toEqual([])
    const styles = readdirSync(join(site, 'assets')).filter((name) => name.endsWith('.css'))
    expect(styles.length).toBeGreaterThan(0)
    const imports = styles.flatMap(
      (name) =>
        readFileSync(join(site, 'assets', name), 'utf8').match(
          /url\(["']?(?:https?:)?\/\/[^)]*\)/g,
        ) ?? [],
    )
    expect(imports).toEqual([])
  })

  it('has a reference page for each entry point and for exported names', () => {
    for (const name of [
      'blazon/classes/App',
      'blazon/variables/Delete',
      'blazon/keys/functions/apiKeys',
      'blazon/testing/classes/TestApp',
    ])
      expect(pages.has(`api/${name}.html`)).toBe(true)
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const doors = Object.keys(exports)
      .filter((door) => door !== './package.json')
      .map((door) => door.replace(/^\./, 'blazon'))
    const overview = pages.get('api/index.html') as string
    const linked = addressesIn(overview).filter((address) =>
      /^\/?(api|\.)?\/?.*blazon\//.test(address),
    )
    for (const door of doors)
      expect(linked.some((address) => address.includes(`${door}/`))).toBe(true)
  })
})

describe('llms.txt', () => {
  const text = readFileSync(join(site, 'llms.txt'), 'utf8')

  it('lists every page, each with an existing Markdown file', () => {
    const links = [...text.matchAll(/^- \[.+?\]\((.+?)\): .{10}/gm)].map(
      ([, link]) => link as string,
    )
    expect(links).toEqual(listed.map((path) => `${path}.md`))
    expect(links.filter((link) => !existsSync(join(site, link)))).toEqual([])
  })

  it('has a second file beside it with the text of all pages', () => {
    const whole = readFileSync(join(site, 'llms-full.txt'), 'utf8')
    for (const path of listed) expect(whole).toContain(`<!-- ${path}.md -->`)
    expect(whole).toContain('export const tokenGuard = jwt({')
  })
})
