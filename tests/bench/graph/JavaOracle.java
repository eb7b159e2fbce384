// What javac says each call of a folder calls, as JSON lines: java JavaOracle.java ROOT [SOURCES].
// Classes of other projects are not loaded: what needs them stays unknown.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.*;
import javax.tools.*;

public class JavaOracle {
    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]).toRealPath();
        Path below = args.length > 1 ? root.resolve(args[1]) : root;
        List<Path> files;
        try (var walk = Files.walk(below)) {
            files = walk.filter(p -> p.toString().endsWith(".java")
                && !p.endsWith("module-info.java") && !p.endsWith("package-info.java")).toList();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(null, null, null);
        var units = manager.getJavaFileObjectsFromPaths(files);
        var task = (JavacTask) compiler.getTask(null, manager, d -> {},
            List.of("-proc:none", "-Xmaxerrs", "1"), null, units);
        var trees = Trees.instance(task);
        List<CompilationUnitTree> parsed = new ArrayList<>();
        task.parse().forEach(parsed::add);
        task.analyze();
        for (var unit : parsed) {
            String path = root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
            new TreePathScanner<Void, Void>() {
                @Override public Void visitMethodInvocation(MethodInvocationTree node, Void v) {
                    ExpressionTree select = node.getMethodSelect();
                    boolean on = select instanceof MemberSelectTree;
                    String name = on ? ((MemberSelectTree) select).getIdentifier().toString()
                        : ((IdentifierTree) select).getName().toString();
                    if (!name.equals("this") && !name.equals("super")) {
                        told(select, name, on);
                    }
                    return super.visitMethodInvocation(node, v);
                }
                @Override public Void visitNewClass(NewClassTree node, Void v) {
                    ExpressionTree made = node.getIdentifier();
                    if (made instanceof ParameterizedTypeTree p && p.getType() instanceof ExpressionTree e) made = e;
                    if (made instanceof IdentifierTree i) told(made, i.getName().toString(), false);
                    if (made instanceof MemberSelectTree m) told(made, m.getIdentifier().toString(), false);
                    return super.visitNewClass(node, v);
                }
                @Override public Void visitImport(ImportTree node, Void v) {
                    // Of `a.b.*` the package, of a static import the class that has the member.
                    var whole = (MemberSelectTree) node.getQualifiedIdentifier();
                    boolean all = whole.getIdentifier().contentEquals("*");
                    var meant = all || node.isStatic() ? whole.getExpression() : whole;
                    var element = trees.getElement(new TreePath(getCurrentPath(), meant));
                    long line = unit.getLineMap().getLineNumber(trees.getSourcePositions().getStartPosition(unit, node));
                    List<String> files = new ArrayList<>();
                    var inside = element instanceof PackageElement p ? p.getEnclosedElements()
                        : element == null ? List.<Element>of() : List.of(element);
                    for (var one : inside) {
                        var place = trees.getPath(one);
                        if (place != null) files.add("\"" + root.relativize(
                            Path.of(place.getCompilationUnit().getSourceFile().toUri())) + "\"");
                    }
                    System.out.println("{\"path\":\"" + path + "\",\"line\":" + line + ",\"import\":" + files + "}");
                    return super.visitImport(node, v);
                }
                void told(Tree tree, String name, boolean on) {
                    var element = trees.getElement(new TreePath(getCurrentPath(), tree));
                    long end = trees.getSourcePositions().getEndPosition(unit, tree);
                    long line = unit.getLineMap().getLineNumber(Math.max(0, end - 1));
                    String target = "", said = "";
                    boolean method = on;
                    if (element != null) {
                        said = element.getSimpleName().toString();
                        var place = trees.getPath(element);
                        if (place != null) target = root.relativize(
                            Path.of(place.getCompilationUnit().getSourceFile().toUri())).toString();
                        method = on && !element.getModifiers().contains(Modifier.STATIC);
                        if (element.asType().getKind() == javax.lang.model.type.TypeKind.ERROR) said = "";
                    }
                    String targets = said.isEmpty() ? "[]" : "[[\"" + target + "\",\"" + said + "\"]]";
                    System.out.println("{\"path\":\"" + path + "\",\"line\":" + line + ",\"name\":\"" + name
                        + "\",\"method\":" + method + ",\"targets\":" + targets + "}");
                }
            }.scan(unit, null);
        }
    }
}
