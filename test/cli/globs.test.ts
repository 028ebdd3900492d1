import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readGlobs } from '../../src/cli/dev/globs.js'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'blazon-globs-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  mkdirSync(join(path, 'views'))
  return path
}

describe('a glob', () => {
  it.each([
    ['views', ['views/a.html', 'views/b/c.txt'], ['view', 'x/views/a']],
    ['views/*.html', ['views/a.html', 'views/.html'], ['views/a.htm', 'views/b/a.html']],
    ['views/**', ['views/a', 'views/b/c'], ['a']],
    ['**/*.html', ['a.html', 'views/b/a.html'], ['a.html.txt']],
    ['views/**/a.html', ['views/a.html', 'views/b/c/a.html'], ['views/ba.html']],
    ['a.{yaml,json}', ['a.yaml', 'a.json'], ['a.', 'a.xml', 'b.yaml']],
    ['a?.txt', ['ab.txt'], ['a.txt', 'a/.txt']],
    ['a,b.(x)', ['a,b.(x)'], ['a', 'b.(x)']],
    ['*}', ['a}'], ['a']],
    ['{a', ['a'], ['{a']],
    ['./views/../a.txt', ['a.txt'], ['views/a.txt']],
  ])('%s matches %j, and not %j', (glob, matching, others) => {
    const cwd = folder()
    const { matches } = readGlobs([glob], cwd)
    expect(matching.filter((path) => !matches(join(cwd, path)))).toEqual([])
    expect(others.filter((path) => matches(join(cwd, path)))).toEqual([])
  })

  it('may be an absolute path, and names its folder once', () => {
    const cwd = folder()
    const { folders, matches } = readGlobs([join(cwd, 'views/*.a'), 'views/*.b'], cwd)
    expect(folders).toEqual([join(cwd, 'views')])
    expect(matches(join(cwd, 'views/x.a'))).toBe(true)
    expect(matches(join(cwd, 'views/x.c'))).toBe(false)
  })
})
