// Prints the same as junit.py, as junit2json reads it.
import { readFileSync } from 'node:fs'
import { parse } from 'junit2json'

const read = await parse(readFileSync(process.argv[2], 'utf8'))
const suites = read.testsuite ?? []
const sum = (member) => suites.reduce((all, suite) => all + Number(suite[member] ?? 0), 0)
const results = ['failure', 'error', 'skipped']
const cases = suites.flatMap((suite) => (suite.testcase ?? []).map((one) => [
  one.classname, one.name, ...results.filter((result) => one[result] !== undefined && one[result].length !== 0),
]))
console.log(JSON.stringify({ counts: [sum('tests'), sum('failures')], cases }))
