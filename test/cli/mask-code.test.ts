import ts from 'typescript-5'
import { describe, expect, it } from 'vitest'
import { maskCode } from '../../src/cli/add/mask-code.js'
import { readSources } from '../house/sources.js'

const blank = (text: string) => text.replace(/[^\r\n]/g, ' ')

/** The ends of a token that stay: the quotes, or what opens and closes an expression in a template. */
function kept(token: ts.Node): number | undefined {
  if (ts.isTemplateHead(token) || ts.isTemplateMiddle(token)) return 2
  const isQuoted =
    ts.isStringLiteral(token) ||
    ts.isNoSubstitutionTemplateLiteral(token) ||
    ts.isTemplateTail(token) ||
    ts.isRegularExpressionLiteral(token)
  return isQuoted ? 1 : undefined
}

/** The tokens of a tree. Comments with tags are nodes, too, and no tokens. */
function* tokensOf(node: ts.Node, tree: ts.SourceFile): Generator<ts.Node> {
  if (ts.isJSDoc(node)) return
  const children = node.getChildren(tree)
  if (children.length === 0) yield node
  for (const child of children) yield* tokensOf(child, tree)
}

/** The mask, made from the tokens of the compiler. */
function maskByCompiler(tree: ts.SourceFile): string {
  let [mask, at] = ['', 0]
  for (const node of tokensOf(tree, tree)) {
    const start = node.getStart(tree)
    const text = tree.text.slice(start, node.end)
    const end = kept(node)
    const isShort = end === undefined || text.length <= end
    mask += blank(tree.text.slice(at, start))
    mask += isShort ? text : text.charAt(0) + blank(text.slice(1, -end)) + text.slice(-end)
    at = node.end
  }
  return mask + blank(tree.text.slice(at))
}

const parse = (text: string) => ts.createSourceFile('x.ts', text, ts.ScriptTarget.ESNext, true)

describe('maskCode', () => {
  it('finds the tokens that the compiler finds, in all files of src', () => {
    const differing = readSources().filter(
      ({ text, tree }) => maskCode(text) !== maskByCompiler(tree),
    )
    expect(differing.map(({ path }) => path)).toEqual([])
  })

  // biome-ignore-start lint/suspicious/noTemplateCurlyInString: code with templates is what is read
  it.each([
    'const a = `x ${ { b: `}${"`"}` } } y` + "}" // `',
    'const a = b / c / d, e = /[/"]\\/`/g, f = (1) / 2 + x[0] / 3',
    "if (a) return /'/.test(b)\n/* ' */ const c = '\\'' + \"\\\"\"",
    'const s = `\\`${a}\\${`\nconst t = `$${b}$`\n',
    'const x = a\r\n  // one\r\n  /* two\r\n three */ + b\r\n',
    "const o = { 'a': 1, [`b${'c'}`]: /}/ }",
  ])('reads %j as the compiler does', (text) => {
    expect(maskCode(text)).toBe(maskByCompiler(parse(text)))
  })
  // biome-ignore-end lint/suspicious/noTemplateCurlyInString: as above

  it.each(["'open", '`open ${', '/* open', 'a = /open', '}', '`${`${', ''])(
    'keeps the length of code that is not complete: %j',
    (text) => {
      expect(maskCode(text)).toHaveLength(text.length)
    },
  )
})
