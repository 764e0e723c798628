"""The style sheet of the page: light and dark, for screens of any width and for paper; no fonts are loaded."""

STYLE = """
:root{--bg:#fff;--ink:#1b1e23;--soft:#5d6570;--rule:#dfe3e8;--panel:#f6f7f9;--good:#1a7f37;--bad:#c0392b;
--c0:#2f6fde;--c1:#d9730d;--c2:#2a9d72;--c3:#a855c7;--c4:#c9a20a;--c5:#0e9aa7;--c6:#8c6d5a;--c7:#d14d82;
--other:#a3abb5;--void:#c0392b;--executor:#2f6fde;--designer:#d9730d;--both:#7c5cbf;--cold:#8a939e}
@media(prefers-color-scheme:dark){:root{--bg:#14171b;--ink:#e4e7eb;--soft:#9aa3ad;--rule:#2d333b;--panel:#1b1f25;
--good:#4cc26b;--bad:#f0776b;--c0:#6ea3ff;--c1:#f0a154;--c2:#58c99b;--c3:#cf94e6;--c4:#e0c04c;--c5:#4cc4cf;--c6:#bfa08c;
--c7:#f08cb4;--other:#6b7480;--void:#f0776b;--executor:#6ea3ff;--designer:#f0a154;--both:#b09af0;--cold:#7d8691}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.55rem;line-height:1.2;margin:0 0 .3rem;font-weight:650;overflow-wrap:anywhere}
h2{font-size:1.08rem;margin:2.4rem 0 .5rem;font-weight:650}
h3{font-size:.95rem;margin:1.2rem 0 .3rem;font-weight:600}
p{margin:.35rem 0;max-width:46rem}
.sub,.caption,figcaption{color:var(--soft);font-size:.86rem}
figcaption{margin-top:.3rem;max-width:46rem}
.ids{color:var(--soft);font-size:.84rem;display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin:.4rem 0 0}
.ids b{font-weight:500;color:var(--ink)}
.keys{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.6rem;margin:1.2rem 0 0}
.keys div{background:var(--panel);border:1px solid var(--rule);border-radius:.4rem;padding:.55rem .7rem}
.keys b{display:block;font-size:1.35rem;font-weight:600;font-variant-numeric:tabular-nums;line-height:1.25}
.keys span{color:var(--soft);font-size:.8rem;display:block;line-height:1.35}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums;margin:.5rem 0}
th,td{padding:.28rem .7rem .28rem 0;text-align:left;white-space:nowrap;border-bottom:1px solid var(--rule);
vertical-align:top}
th{color:var(--soft);font-weight:500;font-size:.78rem}
th.n,td.n{text-align:right}
td.wrap{white-space:normal;overflow-wrap:anywhere}
figure{margin:.6rem 0 0}
svg{display:block;width:100%;height:auto;font:11.5px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
svg.narrow{display:none}
svg text{fill:var(--ink)}svg .tick{fill:var(--soft)}
.grid{stroke:var(--rule);stroke-width:1}.axis{stroke:var(--soft);stroke-width:1}
.mark{stroke:var(--soft);stroke-width:1;stroke-dasharray:3 3}
.thick{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
.thin{fill:none;stroke:var(--c);stroke-width:1;stroke-linejoin:round;opacity:.45}
.band{fill:var(--c);opacity:.14}.dot{fill:var(--c)}.whisker{stroke:var(--c);stroke-width:2}
.thick.dash,.whisker.dash{stroke-dasharray:6 3}.legend i.line.dash{background:
repeating-linear-gradient(90deg,var(--c) 0 5px,transparent 5px 8px)}
.shade{fill:var(--c);opacity:.09}svg text.block{fill:var(--c);font-size:11px}
.bar{fill:var(--c);stroke:var(--bg);stroke-width:.7}
.c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}.c4{--c:var(--c4)}.c5{--c:var(--c5)}
.c6{--c:var(--c6)}.c7{--c:var(--c7)}.other{--c:var(--other)}.void{--c:var(--void)}.executor{--c:var(--executor)}
.designer{--c:var(--designer)}.both{--c:var(--both)}.cold{--c:var(--cold)}.ink{--c:var(--ink)}
.small{display:grid;grid-template-columns:repeat(auto-fill,minmax(16.5rem,1fr));gap:1rem 1.2rem}
.small.big{grid-template-columns:1fr}
.small h3{margin:0 0 .1rem;font-size:.84rem;font-weight:600}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.15rem 1rem;padding:0;margin:.4rem 0;font-size:.82rem}
.legend i{display:inline-block;margin-right:.4rem;vertical-align:middle;background:var(--c)}
.legend i.line{width:1.1rem;height:.18rem}.legend i.box{width:.75rem;height:.75rem;border-radius:.1rem}
.legend i.pale{opacity:.3}
pre,code{font:12.5px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--panel);border:1px solid var(--rule);border-radius:.35rem;padding:.55rem .7rem;margin:.35rem 0;
overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(17rem,1fr));gap:1rem;align-items:start}
.pair>div{min-width:0}
.calls{list-style:none;padding:0;margin:.3rem 0;font-size:.84rem}
.calls li{padding:.22rem 0;border-top:1px solid var(--rule);overflow-wrap:anywhere}
.calls code{white-space:pre-wrap}.calls .who{color:var(--soft);margin-right:.4rem}
.ok{color:var(--good)}.not{color:var(--bad)}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--soft)}
.warn{border-left:3px solid var(--bad);padding:.1rem 0 .1rem .7rem;margin:.7rem 0}
footer{margin-top:3rem;color:var(--soft);font-size:.82rem;border-top:1px solid var(--rule);padding-top:.7rem}
@media(max-width:40rem){body{font-size:16px}main{padding:1rem .8rem 3rem}svg.wide{display:none}svg.narrow{display:block}
svg{font-size:12px}.small{grid-template-columns:1fr}}
@media print{:root{--bg:#fff;--ink:#000;--soft:#444;--rule:#ccc;--panel:#f6f6f6}main{max-width:none;padding:0}
figure,.keys,tr,.pair>div{break-inside:avoid}h2,h3{break-after:avoid}pre{overflow:visible}}
"""
