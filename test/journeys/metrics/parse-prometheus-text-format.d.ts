declare module 'parse-prometheus-text-format' {
  /** One series of a family. */
  interface Series {
    readonly value?: string
    readonly labels?: Readonly<Record<string, string>>
  }

  interface Family {
    readonly name: string
    readonly help: string
    readonly type: string
    readonly metrics: Series[]
  }

  export default function parse(text: string): Family[]
}
