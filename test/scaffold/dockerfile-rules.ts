import { validate } from 'dockerfile-utils'
import { type Instruction, readDockerfile, readIgnored } from './docker-image.js'

/** A rule, and whether a Dockerfile breaks it. */
type Rule = readonly [
  text: string,
  isBroken: (stages: readonly (readonly Instruction[])[]) => boolean,
]

const has = (stage: readonly Instruction[], name: string, pattern: RegExp) =>
  stage.some((each) => each.name === name && pattern.test(each.text))

const lastOf = (stage: readonly Instruction[], name: string) =>
  stage.filter((each) => each.name === name).at(-1)?.text ?? ''

const indexOf = (stage: readonly Instruction[], name: string, pattern: RegExp) =>
  stage.findIndex((each) => each.name === name && pattern.test(each.text))

const isExecForm = (text: string) => /^\["[^"]+"(, "(?:[^"\\]|\\.)*")*\]$/.test(text)

/** The linter judges as Docker does: what cannot be built. These rules are about what should not be. */
const RULES: readonly Rule[] = [
  [
    'each base image has a major version, and not the tag latest',
    (stages) => !stages.every((stage) => /^node:\d+-slim( AS \w+)?$/.test(lastOf(stage, 'FROM'))),
  ],
  [
    'all stages have the same base image',
    (stages) => new Set(stages.map((each) => lastOf(each, 'FROM').split(' ')[0])).size !== 1,
  ],
  [
    'manifest and lock file are copied before the sources, and packages are installed between them',
    ([build = []]) => {
      const manifest = indexOf(build, 'COPY', /package\.json .*(lock\.json|lock\.yaml|yarn\.lock)/)
      const install = indexOf(build, 'RUN', /npm ci|install --(frozen-lockfile|immutable)/)
      const sources = indexOf(build, 'COPY', /^\. \.$/)
      return !(manifest >= 0 && manifest < install && install < sources)
    },
  ],
  [
    'packages for development are removed before the last stage',
    ([build = []]) => !has(build, 'RUN', /prune|focus --production/),
  ],
  [
    'the last stage has files of the first stage only',
    (stages) =>
      stages.length !== 2 ||
      !(stages.at(-1) ?? []).every(
        ({ name, text }) => !['COPY', 'ADD'].includes(name) || text.startsWith('--from='),
      ),
  ],
  [
    'no file is fetched or unpacked by ADD',
    (stages) => stages.some((each) => has(each, 'ADD', /./)),
  ],
  [
    'no secret is in the image',
    (stages) =>
      stages.some((stage) =>
        ['ENV', 'ARG'].some((name) => has(stage, name, /TOKEN|SECRET|PASSWORD|KEY|_URL|AUTH/i)),
      ),
  ],
  [
    'the container runs as another user than root',
    (stages) => !/^(?!root$|0$)\w+$/.test(lastOf(stages.at(-1) ?? [], 'USER')),
  ],
  [
    'the environment is that of production, with a compile cache where every user may write',
    (stages) => {
      const env = lastOf(stages.at(-1) ?? [], 'ENV')
      return !/NODE_ENV=production/.test(env) || !/NODE_COMPILE_CACHE=\/tmp\//.test(env)
    },
  ],
  [
    'the command is Node in exec form: a shell or a script does not pass on signals',
    (stages) => {
      const command = lastOf(stages.at(-1) ?? [], 'CMD')
      return !isExecForm(command) || !command.startsWith('["node"')
    },
  ],
  [
    'there is a health check in exec form',
    (stages) => !isExecForm(lastOf(stages.at(-1) ?? [], 'HEALTHCHECK').replace(/^CMD /, '')),
  ],
]

/** What must not be copied into an image. */
const LEFT_OUT = ['.git', '.data', '.env', '.env.local', 'dist', 'node_modules']

/** What is wrong with a Dockerfile and its `.dockerignore`. */
export function problemsOf(text: string, dockerignore: string): string[] {
  const errors = validate(text).map(
    ({ message, range }) => `line ${range.start.line + 1}: ${message}`,
  )
  if (errors.length > 0) return errors
  const stages: Instruction[][] = []
  for (const each of readDockerfile(text)) {
    if (each.name === 'FROM') stages.push([])
    stages.at(-1)?.push(each)
  }
  const isIgnored = readIgnored(dockerignore)
  return [
    ...RULES.filter(([, isBroken]) => isBroken(stages)).map(([rule]) => rule),
    ...LEFT_OUT.filter((name) => !isIgnored(name)).map((name) => `.dockerignore lacks ${name}`),
  ]
}
