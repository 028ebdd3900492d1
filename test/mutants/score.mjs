/** Changes that a test noticed: by failing, or because it never came to an end. */
const NOTICED = ['Killed', 'Timeout']
/** Changes that no test noticed. Others, such as those that do not compile, say nothing of tests. */
const MISSED = ['Survived', 'NoCoverage']

/** Reads the score out of a report of Stryker: the percentage with one decimal, and where what was missed stands. */
export function scoreOf({ files }) {
  let noticed = 0
  const survivors = []
  for (const [file, { mutants }] of Object.entries(files)) {
    for (const { status, mutatorName, replacement = '', location } of mutants) {
      if (NOTICED.includes(status)) noticed++
      if (!MISSED.includes(status)) continue
      const text = replacement.replace(/\s+/g, ' ').slice(0, 80)
      survivors.push(`${file}:${location.start.line} ${mutatorName}: ${text}`)
    }
  }
  const changes = noticed + survivors.length
  const score = changes === 0 ? 100 : Math.floor((1000 * noticed) / changes) / 10
  return { score, noticed, changes, survivors }
}

/** Compares a room's score with the one that is committed; without one, there is nothing to fall from. */
export function judge(room, before, { score, noticed, changes }) {
  const found = `${room}: ${score} % (${noticed} of ${changes} changes noticed)`
  if (before === undefined) {
    return { message: `${found}; no score is committed.`, isFall: false, isRise: true }
  }
  const isFall = score < before.score
  const isRise = score > before.score
  const change = isFall ? 'FALLEN from' : isRise ? 'risen from' : 'as before:'
  return { message: `${found}, ${change} ${before.score} %.`, isFall, isRise }
}
