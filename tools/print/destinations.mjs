// The named places of a PDF, read from its own table. Chromium writes pages and names uncompressed.

/** The number of the page, from 1, of each named destination. */
export function pagesOfDestinations(pdf) {
  const text = pdf.toString("latin1");
  const kids = new Map([...text.matchAll(/(\d+) 0 obj\s*<<\/Type \/Pages(.*?)endobj/gs)]
    .map(([, id, body]) => [id, [...body.match(/\/Kids \[(.*?)\]/s)[1].matchAll(/(\d+) 0 R/g)].map(([, kid]) => kid)]));
  const inner = new Set([...kids.values()].flat().filter(id => kids.has(id)));
  const root = [...kids.keys()].find(id => !inner.has(id));
  const order = [], walk = id => kids.has(id) ? kids.get(id).forEach(walk) : order.push(id);
  if (root) walk(root);
  const numbers = new Map(order.map((id, i) => [id, i + 1]));
  return new Map([...text.matchAll(/\/([^\s/<>[\]()]+) \[(\d+) 0 R \/XYZ/g)]
    .filter(([, , page]) => numbers.has(page)).map(([, name, page]) => [unescaped(name), numbers.get(page)]));
}

const unescaped = name => name.replace(/#([0-9A-F]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16)));
