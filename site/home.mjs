// The home page, made of parts of the README, so that code and numbers are written in one place only.

/** The Markdown of the home page. */
export function homePage(readme) {
  return `---
layout: doc
sidebar: false
aside: false
prev: false
next: false
title: Blazon
titleTemplate: HTTP APIs from decorated controllers
pageClass: home
---

# Blazon

![](docs/images/mark.svg){.mark}

${paragraph(readme)}

[Start the tutorial](docs/tutorial/1-routes.md){.action} [Read the tour](docs/tour.md){.action .plain} [Move from another framework](docs/from-express.md){.action .plain}

<div class="panels">

${['The handler', 'The 400 response', 'The documentation page', 'Errors at startup'].map((title) => panel(readme, title)).join('\n\n')}

</div>

## Install

${between(readme, '## Install', '## In a clone')}

## Comparison

Each framework serves the same API with two routes, written as the framework's documentation recommends, and receives the same requests.
[Benchmark programs](bench/README.md) of the repository generate and check this table.

${between(readme, '<!-- comparison: begin -->', '<!-- comparison: end -->')}

${footnote(readme)}

${limits(readme)}
`
}

/** A section of the README as a panel. */
function panel(readme, title) {
  const text = new RegExp(`^## ${title}\\n(.*?)(?=^## )`, 'ms').exec(readme)[1].trim()
  return `<section class="panel">\n\n## ${title}\n\n${text}\n\n</section>`
}

const paragraph = (readme) => /^# Blazon\n\n(.*?)\n\n/ms.exec(readme)[1]

/** What the README says that there is not. */
const limits = (readme) => /^Blazon has no .*?\n\n/ms.exec(readme)[0].trim()

const footnote = (readme) => /^¹ .*?\n\n/ms.exec(readme)[0].trim()

function between(text, begin, end) {
  return text.slice(text.indexOf(begin) + begin.length, text.indexOf(end)).trim()
}
